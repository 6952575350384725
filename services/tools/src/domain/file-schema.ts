import { isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { partSchemas, SchemaReader } from '@fairlead/connector-runtime/secret-fields/schema-reader';

/** Cache by identity: definitions are cached objects, so most are examined once. */
const read = new WeakMap<JsonObject, readonly string[]>();

/**
 * Names of inputs that a schema declares with `format: file`, also in combinations or by reference. Linear in the size of the schema. Files
 * inside objects and lists do not count as inputs.
 */
export function fileNames(inputSchema: JsonObject): readonly string[] {
  let names = read.get(inputSchema);
  if (names === undefined) {
    names = namesIn(inputSchema);
    read.set(inputSchema, names);
  }
  return names;
}

/** Whether a schema has a `format: file` where no input is declared: the value would not be treated as a file. */
export function hasFileElsewhere(inputSchema: JsonObject): boolean {
  const reader = new SchemaReader(inputSchema);
  const inPlace = reader.inPlace(inputSchema);
  const inputs = usersOf(reader, inPlace.flatMap(membersOf));
  const nested = new Set(
    [...inPlace.flatMap(othersOf), ...[...inputs.keys()].flatMap(partsOf)].filter(isJsonObject),
  );
  // Iterating over a set also visits elements that are added meanwhile.
  for (const schema of nested)
    for (const next of [...reader.combined(schema), ...partsOf(schema)].filter(isJsonObject))
      nested.add(next);
  return objectsIn(inputSchema).some((part) => isFile(part) && (!inputs.has(part) || nested.has(part)));
}

function namesIn(inputSchema: JsonObject): readonly string[] {
  const reader = new SchemaReader(inputSchema);
  const inPlace = reader.inPlace(inputSchema);
  const users = usersOf(reader, inPlace.flatMap(membersOf));
  const files = new Set<Json>([...users.keys()].filter(isFile));
  for (const schema of files) for (const user of users.get(schema) ?? []) files.add(user);
  const declared = inPlace.flatMap((schema) => Object.entries(partSchemas(schema).properties));
  return [...new Set(declared.flatMap(([name, schema]) => (files.has(schema) ? [name] : [])))];
}

/** `schemas` and all schemas that apply to the same values, each with the schemas that refer to it. */
function usersOf(reader: SchemaReader, schemas: readonly Json[]): ReadonlyMap<Json, readonly JsonObject[]> {
  const users = new Map<JsonObject, JsonObject[]>(schemas.filter(isJsonObject).map((schema) => [schema, []]));
  for (const [schema] of users)
    for (const next of reader.combined(schema)) {
      const usedBy = users.get(next);
      if (usedBy) usedBy.push(schema);
      else users.set(next, [schema]);
    }
  return users;
}

function partsOf(schema: Json): readonly Json[] {
  return isJsonObject(schema) ? [...membersOf(schema), ...othersOf(schema)] : [];
}

function membersOf(schema: JsonObject): readonly Json[] {
  return Object.values(partSchemas(schema).properties);
}

/** All subschemas except those of named `properties`. */
function othersOf(schema: JsonObject): readonly Json[] {
  const { patterns, others, tuple, rest } = partSchemas(schema);
  return [...patterns, others, ...tuple, rest];
}

/** Every object in the schema, at any position. */
function objectsIn(schema: JsonObject): readonly JsonObject[] {
  const open: Json[] = [schema];
  const objects: JsonObject[] = [];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    if (isJsonObject(part)) objects.push(part);
    for (const each of Object.values(part)) open.push(each);
  }
  return objects;
}

function isFile(schema: Json): boolean {
  return isJsonObject(schema) && schema['format'] === 'file';
}
