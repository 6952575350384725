import { EntryIdentity, SchemaForm } from '@fairlead/contracts/mcp/v1/mcp_server_pb';
import type { McpServer } from '@fairlead/contracts/mcp/v1/mcp_server_pb';
import { z } from 'zod';
import { timestamp } from '@fairlead/rest-kit/fields';
import { nameOf, namesOf } from './enums.ts';
import { presentTime, required } from './values.ts';

/** REST names of the forms of input schemas in a server's list of tools. */
export const SCHEMA_FORMS = {
  portable: SchemaForm.PORTABLE,
  original: SchemaForm.ORIGINAL,
} as const;

/** REST names of the owners of the connections with which an entry's tools are called. */
export const ENTRY_IDENTITIES = {
  shared: EntryIdentity.SHARED,
  user: EntryIdentity.USER,
} as const;

/** The owner of the connection with which an entry's tools are called. */
export const entryIdentity = z
  .enum(namesOf(ENTRY_IDENTITIES))
  .describe(
    'shared: everybody calls the tools with this connection. user: each user calls them with a connection of their own to the same application, whose `endUserId` is `user:<userId>`; clients without a credential are refused.',
  );

/** The form of input schemas in a server's list of tools. */
export const schemaForm = z
  .enum(namesOf(SCHEMA_FORMS))
  .describe(
    'The input schemas in the list of tools. portable: without keywords that model APIs refuse. original: as the tools declare them. Calls are checked against the original ones either way.',
  );

/** Text about a setting of a server, for records and requests. */
export const HOLD_CHANGED_TOOLS =
  'Whether a tool of an MCPClient connection is neither listed nor called after its name, description or schema at its server has changed, until an administrator accepts the change.';

const MAX_CONTEXT_BUDGET = 10_000_000;

/** A server's context budget. */
export const contextBudget = z
  .int()
  .min(1)
  .max(MAX_CONTEXT_BUDGET)
  .nullable()
  .describe(
    'Tokens that the list of tools may take in the context of a model, one for each 4 bytes of its JSON. A server whose list takes more lists `search_tools`, `describe_tool` and `call_tool` instead. Null: no limit.',
  );

export const CONFIRM_DESTRUCTIVE =
  'Whether the person at the client confirms each call of a tool that may destroy something (`destructiveHint`, or no hint). Clients that cannot ask one have such calls refused.';

const changedTool = z
  .strictObject({
    toolSlug: z.string(),
    applicationSlug: z.string(),
    changedAt: timestamp.describe('When the change was noticed.'),
  })
  .meta({ id: 'McpServerChangedTool' });

const connection = z
  .strictObject({
    connectionId: z.int32(),
    applicationSlug: z.string(),
    tools: z.array(z.string()).nullable().describe('Tool slugs. Null: every tool of the application.'),
    identity: entryIdentity,
  })
  .meta({ id: 'McpServerConnection' });

export const mcpServerRecord = z
  .strictObject({
    mcpServerToken: z
      .string()
      .describe(
        'Names the server, and opens its address if it admits anonymous clients. Treat it as a secret.',
      ),
    name: z.string(),
    description: z.string().nullable(),
    url: z.string().describe('The address for MCP clients. It holds the token.'),
    oauthUrl: z.string().describe('An address without the token, for clients that sign in with OAuth.'),
    isActive: z.boolean().describe('False: the endpoint answers as if the server did not exist.'),
    isAnonymousAllowed: z.boolean().describe('Whether clients without a credential may call.'),
    connections: z.array(connection),
    workflows: z.array(z.strictObject({ workflowToken: z.string() }).meta({ id: 'McpServerWorkflow' })),
    toolsetId: z.guid().nullable().describe('Every call runs as with this toolset. Null: none.'),
    contextBudget,
    confirmDestructive: z.boolean().describe(CONFIRM_DESTRUCTIVE),
    holdChangedTools: z.boolean().describe(HOLD_CHANGED_TOOLS),
    changedTools: z.array(changedTool).describe('The tools that are held because they have changed.'),
    schemas: schemaForm,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'McpServer' });

/** An MCP server, whose endpoint is below `mcpUrl`. */
export function presentMcpServer(server: McpServer, mcpUrl: string): z.output<typeof mcpServerRecord> {
  const { id, token, name, description, isActive, isAnonymousAllowed } = server;
  const settings = required(server.settings);
  const { toolsetId, confirmDestructive, holdChangedTools, schemas } = settings;
  return {
    mcpServerToken: token,
    name,
    description: description === '' ? null : description,
    url: `${mcpUrl}/${token}/sse`,
    oauthUrl: `${mcpUrl}/s/${id}/mcp`,
    isActive,
    isAnonymousAllowed,
    connections: server.connections.map(({ connectionId, applicationSlug, tools, identity }) => ({
      connectionId,
      applicationSlug,
      tools: tools?.slugs ?? null,
      identity: nameOf(ENTRY_IDENTITIES, identity),
    })),
    workflows: server.workflowTokens.map((workflowToken) => ({ workflowToken })),
    toolsetId: toolsetId ?? null,
    contextBudget: settings.contextBudget ?? null,
    confirmDestructive,
    holdChangedTools,
    changedTools: server.changedTools.map(({ tool, changedAt }) => {
      const { toolSlug, applicationSlug } = required(tool);
      return { toolSlug, applicationSlug, changedAt: presentTime(changedAt) };
    }),
    schemas: nameOf(SCHEMA_FORMS, schemas),
    createdAt: presentTime(server.createdAt),
    updatedAt: presentTime(server.updatedAt),
  };
}
