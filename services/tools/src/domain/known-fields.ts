import { isJsonObject } from '@fairlead/connector-model/json';
import type { JsonObject } from '@fairlead/connector-model/json';
import { SchemaReader } from '@fairlead/connector-runtime/secret-fields/schema-reader';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** Keywords that apply to members not named in `properties`. */
const OTHER_MEMBERS = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

/**
 * Keeps the members of `fields` that the input schema knows. Others are dropped, so that they reach no vendor, unless the schema covers
 * them: by `additionalProperties` or `unevaluatedProperties` (false makes them errors later), by `patternProperties`, or because it has no
 * `properties` (an open object). Members of nested objects are left to the schema.
 */
export function knownFields(inputSchema: JsonObject, fields: LazyObject): LazyObject {
  const known = new Set<string>();
  let hasProperties = false;
  for (const schema of new SchemaReader(inputSchema).inPlace(inputSchema)) {
    if (OTHER_MEMBERS.some((keyword) => keyword in schema)) return fields;
    const { properties } = schema;
    if (!isJsonObject(properties)) continue;
    hasProperties = true;
    for (const name of Object.keys(properties)) known.add(name);
  }
  if (!hasProperties) return fields;
  // Iterates over the schema, which is smaller: a caller may send a hundred thousand members.
  const kept = [...known].filter((name) => Object.hasOwn(fields, name));
  return Object.fromEntries(kept.map((name) => [name, fields[name] ?? null] as const));
}

/**
 * Whether the input schema allows a member with that name. False only if the name is certainly not allowed: `knownFields` drops it, or the
 * schema forbids unnamed members. Patterns are not evaluated, because they may be hostile.
 */
export function possibleInputs(inputSchema: JsonObject): (name: string) => boolean {
  const schemas = new SchemaReader(inputSchema).inPlace(inputSchema);
  const names = new Set<string>();
  let isClosed = false;
  for (const schema of schemas) {
    const { properties } = schema;
    if (OTHER_MEMBERS.some((keyword) => keyword in schema && schema[keyword] !== false)) return () => true;
    isClosed ||= isJsonObject(properties) || OTHER_MEMBERS.some((keyword) => keyword in schema);
    if (isJsonObject(properties)) for (const name of Object.keys(properties)) names.add(name);
  }
  return (name) => !isClosed || names.has(name);
}
