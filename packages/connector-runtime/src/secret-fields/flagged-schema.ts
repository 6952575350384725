import { isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { schemaSize } from '@fairlead/connector-model/schema-size';
import { partSchemas, SchemaReader } from './schema-reader.ts';

/** A subschema that leads to a flagged one, without all that does not. */
export interface FlaggedSchema {
  readonly isSecret: boolean;
  /** Subschemas for the same value. */
  readonly combined: readonly FlaggedSchema[];
  /** By name; undefined for a member to which `others` does not apply. Other members make no difference here. */
  readonly members: ReadonlyMap<string, FlaggedSchema | undefined>;
  /** For every member. */
  readonly patterns: readonly FlaggedSchema[];
  /** For the members that are not in `members`. */
  readonly others: FlaggedSchema | undefined;
  /** By index; empty if it makes no difference. */
  readonly tuple: readonly (FlaggedSchema | undefined)[];
  /** For the items after those of `tuple`. */
  readonly rest: FlaggedSchema | undefined;
}

/** By identity: definitions are cached, so that most are reduced once. A reduced schema is no larger than the schema. */
const reduced = new WeakMap<JsonObject, FlaggedSchema | 'nothing' | 'unknown'>();

/**
 * A schema without what leads to no flag (`writeOnly: true` or `format: password`); `nothing` if there is none, as in
 * nearly every schema; `unknown` if there may be one, but the schema is above the limits of schemaSize. The cost is
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

/** Whether any object in the schema looks like a flagged subschema, whatever it is there for. */
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

/** The subschemas that apply to any part of a value and are flagged, or lead to a flagged one. */
function leadingToFlags(root: JsonObject, reader: SchemaReader): ReadonlySet<JsonObject> {
  const users = new Map<JsonObject, JsonObject[]>([[root, []]]);
  // A loop over a map or a set comes to what is added meanwhile.
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
