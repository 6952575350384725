import type { Toolset, ToolsetPolicy } from '@fairlead/contracts/tools/v1/toolset_pb';
import { z } from 'zod';
import { lazyObject, timestamp } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { presentTime } from './values.ts';

const policyRecord = z
  .strictObject({
    readOnly: z.boolean().describe('Only tools that Fairlead’s own catalogue calls read-only may run.'),
    fixedFields: z
      .record(z.string(), lazyObject)
      .describe('By tool slug: inputs that override the caller’s.'),
    callsPerHour: z.int32().nullable().describe('Calls that may run per UTC hour; null: any number.'),
    requireApproval: z.array(z.string()).describe('The slugs of the tools whose calls have to be approved.'),
    approvedByOther: z
      .boolean()
      .describe('Whether the user who calls cannot approve or reject the call: 403 FORBIDDEN.'),
  })
  .meta({ id: 'ToolsetPolicy' });

export const toolsetRecord = z
  .strictObject({
    id: z.guid(),
    name: z.string(),
    description: z.string().nullable(),
    connections: z.array(z.strictObject({ connectionId: z.int32() }).meta({ id: 'ToolsetConnection' })),
    tools: z
      .array(
        z.strictObject({ applicationSlug: z.string(), toolSlug: z.string() }).meta({ id: 'ToolsetTool' }),
      )
      .nullable()
      .describe('Null: every tool of the connections’ applications.'),
    workflows: z.array(z.strictObject({ workflowToken: z.string() }).meta({ id: 'ToolsetWorkflow' })),
    policy: policyRecord.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Toolset' });

export function presentToolset(toolset: Toolset): z.output<typeof toolsetRecord> {
  const { id, name, description, connectionIds, tools, workflowTokens, policy } = toolset;
  return {
    id,
    name,
    description: description === '' ? null : description,
    connections: connectionIds.map((connectionId) => ({ connectionId })),
    tools: tools?.tools.map(({ applicationSlug, toolSlug }) => ({ applicationSlug, toolSlug })) ?? null,
    workflows: workflowTokens.map((workflowToken) => ({ workflowToken })),
    policy: policy === undefined ? null : presentPolicy(policy),
    createdAt: presentTime(toolset.createdAt),
    updatedAt: presentTime(toolset.updatedAt),
  };
}

function presentPolicy({
  readOnly,
  fixedFieldsJson,
  callsPerHour,
  requireApproval,
  approvedByOther,
}: ToolsetPolicy): z.output<typeof policyRecord> {
  const fixed = Object.entries(fixedFieldsJson).map(
    ([toolSlug, json]) => [toolSlug, new LazyJson(json)] as const,
  );
  return {
    readOnly,
    fixedFields: Object.fromEntries(fixed),
    callsPerHour: callsPerHour ?? null,
    requireApproval,
    approvedByOther,
  };
}
