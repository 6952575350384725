import { membersOf } from '@fairlead/service-kit/json/json-members';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { JsonObject } from '@bufbuild/protobuf';
import { z } from 'zod';
import { guidText, passedObject, recordId, slug, text } from '@fairlead/rest-kit/fields';

const MAX_CONNECTIONS = 500;
const MAX_TOOLS = 1_000;
const MAX_WORKFLOWS = 100;
const MAX_POLICY_TOOLS = 200;
const MAX_FIXED_BYTES = 64 * 1024;
const MAX_CALLS_PER_HOUR = 1_000_000;

/** The path parameters of one toolset. */
export const toolsetParams = z.object({ id: guidText });

const connections = z
  .array(z.object({ connectionId: recordId }))
  .max(MAX_CONNECTIONS)
  .transform((entries) => entries.map(({ connectionId }) => connectionId));

const tools = z
  .array(z.object({ applicationSlug: slug, toolSlug: slug }))
  .max(MAX_TOOLS)
  .nullable()
  .describe(
    'The permitted tools, as their slugs named them when the list was saved. Null: every tool of the connections’ applications.',
  );

const workflows = z
  .array(z.object({ workflowToken: text(1, 200) }))
  .max(MAX_WORKFLOWS)
  .transform((entries) => entries.map(({ workflowToken }) => workflowToken))
  .describe('The workflows that may be run; they need no place in `tools`.');

const fixedFields = passedObject
  // The tools service has the same limit. It is checked here before the message is built, because a body may be 80 times as large.
  .refine((byTool) => jsonBytes(byTool).length <= MAX_FIXED_BYTES, {
    error: `must be at most ${MAX_FIXED_BYTES / 1024} KiB of JSON`,
    abort: true,
  })
  .transform((byTool) => (byTool instanceof LazyJson ? byTool.parseObject() : byTool))
  .superRefine((byTool, context) => {
    for (const [toolSlug, fields] of Object.entries(byTool)) {
      if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
        context.addIssue({ code: 'custom', path: [toolSlug], message: 'must be an object' });
    }
  })
  // The superRefine above has checked that each value is an object.
  .transform((byTool) => byTool as Record<string, JsonObject>)
  .meta({
    type: 'object',
    additionalProperties: { type: 'object' },
    maxProperties: MAX_POLICY_TOOLS,
    description:
      'By tool slug: inputs that override the caller’s. A slug means the tools that it named when the policy was saved; an input that none of them has is refused. Whoever reads the toolset sees them, so they are no place for secrets.',
  });

const policy = z
  .strictObject({
    readOnly: z
      .boolean()
      .default(false)
      .describe(
        'Only tools that Fairlead’s own catalogue calls read-only may run. An MCP server’s own statements about its tools do not count.',
      ),
    fixedFields: fixedFields.default({}),
    callsPerHour: z
      .int32()
      .min(1)
      .max(MAX_CALLS_PER_HOUR)
      .nullish()
      .describe('Calls that may run per UTC hour. Null or absent: any number.'),
    requireApproval: z
      .array(slug)
      .max(MAX_POLICY_TOOLS)
      .default([])
      .describe(
        'The slugs of the tools whose calls have to be approved: those that they named when the policy was saved.',
      ),
    approvedByOther: z
      .boolean()
      .default(false)
      .describe('Whether the user who calls cannot approve or reject the call: 403 FORBIDDEN.'),
  })
  .nullable()
  .transform((value) => {
    if (value === null) return null;
    const { callsPerHour, fixedFields: fixed, ...members } = value;
    return {
      ...members,
      fixedFieldsJson: membersOf(fixed),
      ...(typeof callsPerHour === 'number' && { callsPerHour }),
    };
  })
  .describe('The demands of the toolset on calls that name it, at most 64 KiB. Null: none.');

/** The members of a toolset in a request. */
export const toolsetMembers = {
  name: text(1, 200),
  description: text(0, 2000)
    .nullable()
    .transform((text) => text ?? ''),
  connections,
  tools,
  workflows,
  policy,
} as const;
