import { isJsonArray } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { identityInAny } from '@fairlead/connector-model/tool-identity';
import { validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** The rules of a toolset for the calls that name it; lists hold the inputs unparsed. */
export interface ToolsetPolicy<Fields = JsonObject> {
  /** Only tools of which the platform's catalogue says that they change nothing may run. */
  readonly readOnly: boolean;
  /** By tool slug: inputs that override the caller's. */
  readonly fixedFields: Readonly<Record<string, Fields>>;
  /** How many calls may run per UTC hour; null: any number. */
  readonly callsPerHour: number | null;
  /** The slugs of the tools whose calls a person has to approve. */
  readonly requireApproval: readonly string[];
  /**
   * The identities of the tools that each slug named when the policy was saved. Absent in a policy that was saved before these were
   * kept: its slugs mean the tools that have them, or have had them.
   */
  readonly bindings?: ToolBindings;
  /** Whether the user who calls may not decide on the approval of the call. Absent, as in policies of earlier releases: they may. */
  readonly approvedByOther?: boolean;
}

/** Identities of tools by slug. */
export type ToolBindings = Readonly<Record<string, readonly string[]>>;

/** A tool by everything that names it. */
export interface NamedTool {
  readonly toolSlug: string;
  /** Slugs that it has had. */
  readonly aliases: readonly string[];
  /** Names that keep meaning it whatever its slug becomes, the one to store first. */
  readonly identities: readonly string[];
}

/** How many tools one member of a policy may name. */
const MAX_TOOLS = 200;
const MAX_BYTES = 64 * 1024;
const MAX_CALLS_PER_HOUR = 1_000_000;
/** How many identities the slugs of a policy may stand for: servers choose the names, and one slug fits many. */
const MAX_BOUND = 10_000;
/** Most applications whose tools of one name a policy binds one by one; if there are more, it means that name in every application. */
const MAX_APPLICATIONS = 20;

/** The policy with each slug once, in order. */
export function foldPolicy({ requireApproval, ...policy }: ToolsetPolicy): ToolsetPolicy {
  return { ...policy, requireApproval: [...new Set(requireApproval)] };
}

/** The members of a policy that are out of bounds, by field. */
export function policyIssues(policy: ToolsetPolicy): readonly FieldIssue[] {
  const { fixedFields, callsPerHour, requireApproval } = policy;
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
  const tooLarge = Object.entries({ 'policy.fixedFields': fixedFields, policy }).find(
    ([, value]) => jsonBytes(value).length > MAX_BYTES,
  );
  if (tooLarge !== undefined)
    issues.push({ field: tooLarge[0], issue: `must be at most ${MAX_BYTES / 1024} KiB of JSON` });
  return issues;
}

/** Every tool slug that a policy names, once. */
export function toolsOfPolicy({ fixedFields, requireApproval }: ToolsetPolicy): readonly string[] {
  return [...new Set([...Object.keys(fixedFields), ...requireApproval])];
}

/**
 * The policy, each slug of it bound to the tools that it names now, by `named`, and to those that it is bound to in `former`: sending a policy
 * again lifts it from no tool. VALIDATION_ERROR if these are too many.
 */
export function boundPolicy(
  policy: ToolsetPolicy,
  named: ReadonlyMap<string, readonly NamedTool[]>,
  former: ToolsetPolicy | null,
): ToolsetPolicy {
  const bindings = Object.fromEntries(
    toolsOfPolicy(policy).map((slug) => {
      const identities = (named.get(slug) ?? []).flatMap((tool) => tool.identities.slice(0, 1));
      return [slug, withoutMany([...boundTo(former, slug), ...identities])];
    }),
  );
  if (Object.values(bindings).reduce((sum, { length }) => sum + length, 0) > MAX_BOUND)
    throw validationError({ field: 'policy', issue: `must name at most ${MAX_BOUND} tools` });
  return { ...policy, bindings };
}

/** The identities, each once, with one for every application in place of very many. */
function withoutMany(identities: readonly string[]): readonly string[] {
  const ofName = Map.groupBy(new Set(identities), identityInAny);
  return [...ofName].flatMap(([inAny, same]) =>
    same.length > MAX_APPLICATIONS || same.includes(inAny) ? [inAny] : same,
  );
}

/** The identities that a slug is bound to in a policy. */
export function boundTo(policy: ToolsetPolicy | null, slug: string): readonly string[] {
  const bindings = policy?.bindings ?? {};
  return Object.hasOwn(bindings, slug) ? (bindings[slug] ?? []) : [];
}

/** Whether a slug in the policy means the tool. */
function means(policy: ToolsetPolicy, slug: string, { toolSlug, aliases, identities }: NamedTool): boolean {
  if (policy.bindings === undefined) return slug === toolSlug || aliases.includes(slug);
  return boundTo(policy, slug).some((identity) => identities.includes(identity));
}

/**
 * The inputs that a call of a tool runs with: those that the policy fixes override the caller's. If several slugs mean the tool, the one
 * that it has now wins.
 */
export function withFixedFields(
  policy: ToolsetPolicy | null,
  tool: NamedTool,
  fields: LazyObject,
): LazyObject {
  if (policy === null) return fields;
  let merged = fields;
  const isCurrent = ([slug]: readonly [string, JsonObject]): number => Number(slug === tool.toolSlug);
  for (const [slug, fixed] of Object.entries(policy.fixedFields).toSorted(
    (a, b) => isCurrent(a) - isCurrent(b),
  ))
    if (means(policy, slug, tool)) merged = { ...merged, ...fixed };
  return merged;
}

/** An input that the policy fixes and that a call with these checked fields would not send; undefined: there is none. */
export function lostFixedField(
  policy: ToolsetPolicy | null,
  tool: NamedTool,
  fields: LazyObject,
): string | undefined {
  return Object.keys(withFixedFields(policy, tool, {})).find((name) => !Object.hasOwn(fields, name));
}

/** Whether a call of the tool has to be approved. */
export function requiresApproval(policy: ToolsetPolicy, tool: NamedTool): boolean {
  return policy.requireApproval.some((slug) => means(policy, slug, tool));
}

/**
 * A tool's input schema without the inputs that the policy fixes, by whichever slug; `required` and the parts of `allOf` included.
 * The target of a reference stays as it is: other parts may refer to it, too.
 */
export function withoutFixedFields(
  policy: ToolsetPolicy | null,
  tool: NamedTool,
  schema: JsonObject,
): JsonObject {
  const fixed = withFixedFields(policy, tool, {});
  return Object.keys(fixed).length === 0 ? schema : without(fixed, schema);
}

function without(fixed: LazyObject, schema: JsonObject): JsonObject {
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

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
