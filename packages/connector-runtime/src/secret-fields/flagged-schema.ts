import { isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { schemaSize } from '@fairlead/connector-model/schema-size';
import { partSchemas, SchemaReader } from './schema-reader.ts';

/** A schema reduced to the subschemas that lead to a flag. */
export interface FlaggedSchema {
  readonly isSecret: boolean;
  /** Subschemas that apply to the value itself. */
  readonly combined: readonly FlaggedSchema[];
  /** By member name; undefined: a member to which `others` does not apply. Members without an effect are absent. */
  readonly members: ReadonlyMap<string, FlaggedSchema | undefined>;
  /** Applies to every member. */
  readonly patterns: readonly FlaggedSchema[];
  /** Applies to members that `members` does not name. */
  readonly others: FlaggedSchema | undefined;
  /** By index; empty if without effect. */
  readonly tuple: readonly (FlaggedSchema | undefined)[];
  /** Applies to the items after the tuple. */
  readonly rest: FlaggedSchema | undefined;
}

/**
 * Reduced schemas by the identity of the original: definitions are cached, so most are reduced once. A reduced schema
 * is never larger than the original.
 */
const reduced = new WeakMap<JsonObject, FlaggedSchema | 'nothing' | 'unknown'>();

/**
 * Reduces a schema to the parts that lead to a flag (`writeOnly: true` or `format: password`). `nothing`: it has no
 * flag, like nearly every schema. `unknown`: it may have one, but exceeds the limits of schemaSize. The cost is
 * linear in the schema.
 */
export function flaggedSchema(schema: JsonObject): FlaggedSchema | 'nothing' | 'unknown' {
  let known = reduced.get(schema);
  if (known === undefined) {
    known = holdsFlag(schema) ? reduce(schema) : 'nothing';
    reduced.set(schema, known);
  }
  return known;
}

/** Whether any object in the schema looks flagged, whatever its role. */
function holdsFlag(schema: JsonObject): boolean {
  const open: Json[] = [schema];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    if (isJsonObject(part) && isSecret(part)) return true;
    for (const each of Object.values(part)) open.push(each);
  }
  return false;
}

function isSecret(schema: JsonObject): boolean {
  return schema['writeOnly'] === true || schema['format'] === 'password';
}

function reduce(root: JsonObject): FlaggedSchema | 'nothing' | 'unknown' {
  try {
    schemaSize(root);
  } catch {
    return 'unknown';
  }
  const reader = new SchemaReader(root);
  const leading = leadingToFlags(root, reader);
  const nodes = new Map<Json, Mutable<FlaggedSchema>>();
  for (const schema of leading) nodes.set(schema, { ...PLAIN, isSecret: isSecret(schema) });
  const flagged = (schemas: readonly Json[]) =>
    schemas.map((schema) => nodes.get(schema)).filter((node) => node !== undefined);
  for (const schema of leading) {
    const { properties, patterns, others, tuple, rest } = partSchemas(schema);
    const ofOthers = nodes.get(others);
    const ofRest = nodes.get(rest);
    const ofTuple = tuple.map((item) => nodes.get(item));
    Object.assign(nodes.get(schema) ?? {}, {
      combined: flagged(reader.combined(schema)),
      members: new Map(
        Object.entries(properties)
          .map(([name, member]) => [name, nodes.get(member)] as const)
          .filter(([, node]) => node !== undefined || ofOthers !== undefined),
      ),
      patterns: flagged(patterns),
      others: ofOthers,
      tuple: ofRest !== undefined || ofTuple.some((node) => node !== undefined) ? ofTuple : [],
      rest: ofRest,
    } satisfies Omit<FlaggedSchema, 'isSecret'>);
  }
  return nodes.get(root) ?? 'nothing';
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const PLAIN: FlaggedSchema = {
  isSecret: false,
  combined: [],
  members: new Map(),
  patterns: [],
  others: undefined,
  tuple: [],
  rest: undefined,
};

/** The subschemas for any part of a value that are flagged, or lead to a flagged one. */
function leadingToFlags(root: JsonObject, reader: SchemaReader): ReadonlySet<JsonObject> {
  const users = new Map<JsonObject, JsonObject[]>([[root, []]]);
  // The loop also visits elements that are added to the map or set meanwhile.
  for (const [schema] of users) {
    const { properties, patterns, others, tuple, rest } = partSchemas(schema);
    const parts = [...Object.values(properties), ...patterns, others, ...tuple, rest];
    for (const next of [...reader.combined(schema), ...parts]) {
      if (!isJsonObject(next)) continue;
      const usedBy = users.get(next);
      if (usedBy) usedBy.push(schema);
      else users.set(next, [schema]);
    }
  }
  const leading = new Set([...users.keys()].filter(isSecret));
  for (const schema of leading) for (const user of users.get(schema) ?? []) leading.add(user);
  return leading;
}
