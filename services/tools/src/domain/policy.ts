import { isJsonArray } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { withMembers } from '@fairlead/service-kit/json/deferred-json';

/** What a toolset demands of the calls that name it. */
export interface ToolsetPolicy {
  /** Only tools of which the platform's catalogue says that they change nothing may run. */
  readonly readOnly: boolean;
  /** By tool slug: inputs that override the caller's. */
  readonly fixedFields: Readonly<Record<string, JsonObject>>;
  /** How many calls may run per UTC hour; null: any number. */
  readonly callsPerHour: number | null;
  /** The slugs of the tools whose calls a person has to approve. */
  readonly requireApproval: readonly string[];
}

/** A tool by its slug and the slugs that it has had. */
interface NamedTool {
  readonly toolSlug: string;
  readonly aliases: readonly string[];
}

/** How many tools one member of a policy may name. */
const MAX_TOOLS = 200;
const MAX_FIXED_BYTES = 64 * 1024;
const MAX_CALLS_PER_HOUR = 1_000_000;

/** The policy with each slug once, in order. */
export function foldPolicy({ requireApproval, ...policy }: ToolsetPolicy): ToolsetPolicy {
  return { ...policy, requireApproval: [...new Set(requireApproval)] };
}

/** What is out of bounds in a policy, by field. */
export function policyIssues({
  fixedFields,
  callsPerHour,
  requireApproval,
}: ToolsetPolicy): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  const isCount =
    callsPerHour === null ||
    (Number.isInteger(callsPerHour) && callsPerHour >= 1 && callsPerHour <= MAX_CALLS_PER_HOUR);
  if (!isCount)
    issues.push({ field: 'policy.callsPerHour', issue: `must be from 1 to ${MAX_CALLS_PER_HOUR}` });
  if (requireApproval.length > MAX_TOOLS)
    issues.push({ field: 'policy.requireApproval', issue: `must have at most ${MAX_TOOLS} items` });
  if (Object.keys(fixedFields).length > MAX_TOOLS)
    issues.push({ field: 'policy.fixedFields', issue: `must have at most ${MAX_TOOLS} members` });
  else if (Buffer.byteLength(JSON.stringify(fixedFields)) > MAX_FIXED_BYTES)
    issues.push({
      field: 'policy.fixedFields',
      issue: `must be at most ${MAX_FIXED_BYTES / 1024} KiB of JSON`,
    });
  return issues;
}

/** Every tool slug that a policy names, once. */
export function toolsOfPolicy({ fixedFields, requireApproval }: ToolsetPolicy): readonly string[] {
  return [...new Set([...Object.keys(fixedFields), ...requireApproval])];
}

/**
 * The inputs that a call of a tool runs with: those that the policy fixes override the caller's. A policy may name a tool by an
 * alias: that was its slug when the policy was written.
 */
export function withFixedFields(
  policy: ToolsetPolicy | null,
  { toolSlug, aliases }: NamedTool,
  fields: JsonObject,
): JsonObject {
  let merged = fields;
  for (const slug of [...aliases, toolSlug]) {
    const fixed = policy && fixedFieldsOf(policy, slug);
    if (fixed) merged = withMembers(merged, fixed);
  }
  return merged;
}

/** Whether a call of the tool has to be approved. */
export function requiresApproval(
  { requireApproval }: ToolsetPolicy,
  { toolSlug, aliases }: NamedTool,
): boolean {
  return [toolSlug, ...aliases].some((slug) => requireApproval.includes(slug));
}

/**
 * A tool's input schema without the inputs that the policy fixes, by whichever slug; `required` and the parts of `allOf` included.
 * What a reference leads to stays as it is: other parts may refer to it, too.
 */
export function withoutFixedFields(
  policy: ToolsetPolicy | null,
  tool: NamedTool,
  schema: JsonObject,
): JsonObject {
  const fixed = withFixedFields(policy, tool, {});
  return Object.keys(fixed).length === 0 ? schema : without(fixed, schema);
}

function without(fixed: JsonObject, schema: JsonObject): JsonObject {
  const isLeft = (name: Json): boolean => typeof name !== 'string' || !Object.hasOwn(fixed, name);
  const { properties, required, allOf = null } = schema;
  return {
    ...schema,
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isLeft(name))),
    }),
    ...(Array.isArray(required) && { required: required.filter(isLeft) }),
    ...(isJsonArray(allOf) && {
      allOf: allOf.map((part) => (isObject(part) ? without(fixed, part) : part)),
    }),
  };
}

function fixedFieldsOf({ fixedFields }: ToolsetPolicy, toolSlug: string): JsonObject | undefined {
  return Object.hasOwn(fixedFields, toolSlug) ? fixedFields[toolSlug] : undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
