import { isJsonArray } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { identityInAny } from '@fairlead/connector-model/tool-identity';
import { validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** A toolset's rules for its calls; lists contain unparsed inputs. */
export interface ToolsetPolicy<Fields = JsonObject> {
  /** Only tools without effects may run, according to the platform's catalogue. */
  readonly readOnly: boolean;
  /** Inputs by tool slug; they override the caller's. */
  readonly fixedFields: Readonly<Record<string, Fields>>;
  /** Maximum calls per UTC hour; null: unlimited. */
  readonly callsPerHour: number | null;
  /** Slugs of tools whose calls need an approval. */
  readonly requireApproval: readonly string[];
  /**
   * Identities of the tools that each slug meant when the policy was saved. Absent in policies saved before identities were stored: their
   * slugs mean every tool that has or had them.
   */
  readonly bindings?: ToolBindings;
  /** Whether the calling user may not decide on the approval. Absent in policies of earlier releases: they may. */
  readonly approvedByOther?: boolean;
}

/** Identities of tools by slug. */
export type ToolBindings = Readonly<Record<string, readonly string[]>>;

/** A tool with everything that can name it. */
export interface NamedTool {
  readonly toolSlug: string;
  /** Former slugs. */
  readonly aliases: readonly string[];
  /** Permanent identities, independent of the slug; the first is the one to store. */
  readonly identities: readonly string[];
}

/** Maximum number of tools in one member of a policy. */
const MAX_TOOLS = 200;
const MAX_BYTES = 64 * 1024;
const MAX_CALLS_PER_HOUR = 1_000_000;
/** Maximum number of identities for the slugs of a policy: servers choose tool names, and many tools may have the same slug. */
const MAX_BOUND = 10_000;
/** Maximum number of applications for which a slug is bound tool by tool; above it, the slug means that name in every application. */
const MAX_APPLICATIONS = 20;

/** The policy without duplicate slugs, sorted. */
export function foldPolicy({ requireApproval, ...policy }: ToolsetPolicy): ToolsetPolicy {
  return { ...policy, requireApproval: [...new Set(requireApproval)] };
}

/** Invalid members of a policy, by field. */
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

/** All tool slugs in a policy, without duplicates. */
export function toolsOfPolicy({ fixedFields, requireApproval }: ToolsetPolicy): readonly string[] {
  return [...new Set([...Object.keys(fixedFields), ...requireApproval])];
}

/**
 * Binds each slug of the policy to the tools that it means now (`named`), and to those bound in `former`: saving a policy again never
 * exempts a tool. VALIDATION_ERROR if there are too many.
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

/** The identities without duplicates; very many are replaced by one for all applications. */
function withoutMany(identities: readonly string[]): readonly string[] {
  const ofName = Map.groupBy(new Set(identities), identityInAny);
  return [...ofName].flatMap(([inAny, same]) =>
    same.length > MAX_APPLICATIONS || same.includes(inAny) ? [inAny] : same,
  );
}

/** The identities to which a policy binds a slug. */
export function boundTo(policy: ToolsetPolicy | null, slug: string): readonly string[] {
  const bindings = policy?.bindings ?? {};
  return Object.hasOwn(bindings, slug) ? (bindings[slug] ?? []) : [];
}

/** Whether a slug in the policy means the tool. */
function means(policy: ToolsetPolicy, slug: string, { toolSlug, aliases, identities }: NamedTool): boolean {
  if (policy.bindings === undefined) return slug === toolSlug || aliases.includes(slug);
  return boundTo(policy, slug).some((identity) => identities.includes(identity));
}

/** The final inputs of a call: the policy's fixed inputs override the caller's. If several slugs mean the tool, its current slug wins. */
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

/** An input that the policy fixes, but that a call with these checked fields would not send; undefined: none. */
export function lostFixedField(
  policy: ToolsetPolicy | null,
  tool: NamedTool,
  fields: LazyObject,
): string | undefined {
  return Object.keys(withFixedFields(policy, tool, {})).find((name) => !Object.hasOwn(fields, name));
}

/** Whether a call of the tool needs an approval. */
export function requiresApproval(policy: ToolsetPolicy, tool: NamedTool): boolean {
  return policy.requireApproval.some((slug) => means(policy, slug, tool));
}

/**
 * A tool's input schema without the inputs that the policy fixes, under any of the tool's slugs; also removed from `required` and from the
 * parts of `allOf`. Targets of references are unchanged, because other parts may refer to them.
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
