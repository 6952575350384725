import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ToolSchema } from '@fairlead/contracts/catalog/v1/tool_pb';
import type {
  ToolList,
  ToolsetPolicy as PolicyMessage,
  ToolsetPolicySchema,
  ToolsetSchema,
} from '@fairlead/contracts/tools/v1/toolset_pb';
import type {
  CreateToolsetRequest,
  UpdateToolsetRequest,
} from '@fairlead/contracts/tools/v1/toolset_service_pb';
import type { JsonObject } from '@fairlead/connector-model/json';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { ToolSummary } from '../domain/tool-summary.ts';
import type { ToolsetPolicy } from '../domain/policy.ts';
import type {
  ToolsetView,
  ToolReference,
  Toolset,
  ToolsetChange,
  ToolsetContent,
} from '../domain/toolset.ts';

/** The toolset to create; absent tools are null. */
export function fromCreateToolsetRequest(request: CreateToolsetRequest): ToolsetContent {
  const { name, description, connectionIds, tools, workflowTokens, policy } = request;
  return {
    name,
    description,
    connectionIds,
    tools: tools === undefined ? null : fromToolList(tools),
    workflowTokens,
    policy: policy === undefined ? null : fromPolicy(policy),
  };
}

/** The members to change. */
export function fromUpdateToolsetRequest(request: UpdateToolsetRequest): ToolsetChange {
  const { name, description, connections, toolChange, workflows, policyChange } = request;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(connections && { connectionIds: connections.ids }),
    ...(toolChange.case === 'tools' && { tools: fromToolList(toolChange.value) }),
    ...(toolChange.case === 'allTools' && { tools: null }),
    ...(workflows && { workflowTokens: workflows.tokens }),
    ...(policyChange.case === 'policy' && { policy: fromPolicy(policyChange.value) }),
    ...(policyChange.case === 'noPolicy' && { policy: null }),
  };
}

/** Encodes a toolset. */
export function toToolset(toolset: Toolset | ToolsetView): MessageInitShape<typeof ToolsetSchema> {
  const { id, name, description, connectionIds, tools, workflowTokens, policy } = toolset;
  return {
    id,
    name,
    description,
    connectionIds: [...connectionIds],
    ...(tools && {
      tools: { tools: tools.map(({ applicationSlug, toolSlug }) => ({ applicationSlug, toolSlug })) },
    }),
    workflowTokens: [...workflowTokens],
    ...(policy && { policy: toPolicy(policy) }),
    createdAt: timestampFromDate(toolset.createdAt),
    updatedAt: timestampFromDate(toolset.updatedAt),
  };
}

/** Encodes a tool for a list. */
export function toListedTool({
  inputSchema,
  outputSchema,
  ...tool
}: ToolSummary): MessageInitShape<typeof ToolSchema> {
  return {
    ...tool,
    aliases: [...tool.aliases],
    identities: [...tool.identities],
    inputSchemaJson: inputSchema.bytes,
    outputSchemaJson: outputSchema.bytes,
    createdAt: timestampFromDate(tool.createdAt),
    updatedAt: timestampFromDate(tool.updatedAt),
  };
}

function fromToolList({ tools }: ToolList): readonly ToolReference[] {
  return tools.map(({ applicationSlug, toolSlug }) => ({ applicationSlug, toolSlug }));
}

function fromPolicy(policy: PolicyMessage): ToolsetPolicy {
  const { readOnly, fixedFieldsJson, callsPerHour = null, requireApproval, approvedByOther } = policy;
  const fixed = Object.entries(fixedFieldsJson).map(([toolSlug, json]) => {
    return [toolSlug, new LazyJson(json, `policy.fixedFields.${toolSlug}`).parseObject()] as const;
  });
  return { readOnly, fixedFields: Object.fromEntries(fixed), callsPerHour, requireApproval, approvedByOther };
}

function toPolicy({
  readOnly,
  fixedFields,
  callsPerHour,
  requireApproval,
  approvedByOther = false,
}: ToolsetPolicy<JsonObject | LazyJson>): MessageInitShape<typeof ToolsetPolicySchema> {
  return {
    readOnly,
    fixedFieldsJson: membersOf(fixedFields),
    ...(callsPerHour !== null && { callsPerHour }),
    requireApproval: [...requireApproval],
    approvedByOther,
  };
}
