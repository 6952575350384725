import { createHash } from 'node:crypto';
import { z } from 'zod';
import { guidText, recordId, slug, text } from '@fairlead/rest-kit/fields';
import {
  CONFIRM_DESTRUCTIVE,
  contextBudget,
  ENTRY_IDENTITIES,
  entryIdentity,
  HOLD_CHANGED_TOOLS,
  schemaForm,
} from '@fairlead/rest-records/mcp-server';

const MAX_CONNECTIONS = 100;
const MAX_TOOLS = 1_000;
const MAX_WORKFLOWS = 100;

/** The path parameter of one server. Its token is a secret, so only its digest is passed on. */
export const mcpServerParams = z.object({
  mcpServerToken: z
    .string()
    .regex(/^mcp_[\w-]{1,128}$/)
    .transform((token) => createHash('sha256').update(token).digest('base64url')),
});

const tools = z
  .array(slug)
  .max(MAX_TOOLS)
  .superRefine(refuseRepeats((toolSlug) => ({ value: toolSlug, path: [] })))
  .nullable()
  .default(null)
  .describe('Slugs of the tools to serve. Null or absent: every tool of the application.');

const connections = z
  .array(
    z
      // Unknown members are refused: with a misspelt `tools`, every tool would be served.
      .strictObject({
        connectionId: recordId,
        applicationSlug: z
          .unknown()
          .optional()
          .describe('Ignored, so that the entries of a record can be sent back.'),
        tools,
        identity: entryIdentity.default('shared'),
      })
      .meta({ id: 'McpServerConnectionRequest' }),
  )
  .max(MAX_CONNECTIONS)
  .superRefine(refuseRepeats(({ connectionId }) => ({ value: connectionId, path: ['connectionId'] })))
  .transform((entries) =>
    entries.map(({ connectionId, tools: slugs, identity }) => ({
      connectionId,
      ...(slugs !== null && { tools: { slugs } }),
      identity: ENTRY_IDENTITIES[identity],
    })),
  );

const workflows = z
  .array(z.strictObject({ workflowToken: text(1, 200) }).meta({ id: 'McpServerWorkflowRequest' }))
  .max(MAX_WORKFLOWS)
  .superRefine(refuseRepeats(({ workflowToken }) => ({ value: workflowToken, path: ['workflowToken'] })))
  .transform((entries) => entries.map(({ workflowToken }) => workflowToken));

/** The members of a server in a request. */
export const mcpServerMembers = {
  name: text(1, 200),
  description: text(0, 2000)
    .nullable()
    .transform((text) => text ?? ''),
  connections,
  workflows,
  toolsetId: guidText
    .nullable()
    .describe(
      'Every call runs as with this toolset: tools outside of it are not listed, and its policy holds. Null: none.',
    ),
  contextBudget,
  confirmDestructive: z.boolean().describe(CONFIRM_DESTRUCTIVE),
  holdChangedTools: z.boolean().describe(HOLD_CHANGED_TOOLS),
  schemas: schemaForm,
} as const;

/** Refuses every entry that repeats an earlier one; the error names its path. */
function refuseRepeats<T>(
  keyOf: (entry: T) => { readonly value: string | number; readonly path: readonly string[] },
) {
  return (entries: readonly T[], context: z.RefinementCtx): void => {
    const seen = new Set<string | number>();
    for (const [index, entry] of entries.entries()) {
      const { value, path } = keyOf(entry);
      if (seen.has(value))
        context.addIssue({ code: 'custom', path: [index, ...path], message: 'must not be repeated' });
      seen.add(value);
    }
  };
}
