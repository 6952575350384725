import { isJsonObject } from '@fairlead/connector-model/json';
import type { JsonObject } from '@fairlead/connector-model/model';
import { SchemaReader } from '@fairlead/connector-runtime/secret-fields/schema-reader';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** Keywords that say something about members that `properties` does not name. */
const OTHER_MEMBERS = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

/**
 * The members of `fields` that the input schema knows. Others are dropped, so that they reach no vendor, unless the
 * schema covers them: with `additionalProperties` or `unevaluatedProperties` (false makes them errors later),
 * `patternProperties`, or no `properties` at all (an open object). Members of nested objects are left to the schema.
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
  // Of the two, the schema is the smaller one: a caller may send a hundred thousand members.
  const kept = [...known].filter((name) => Object.hasOwn(fields, name));
  return Object.fromEntries(kept.map((name) => [name, fields[name] ?? null] as const));
}

/**
 * Whether the input schema lets a tool have a member of that name. False only for names that it certainly has not: `knownFields`
 * drops them, or the schema forbids all names that it does not name. Patterns are not run, because they may be hostile.
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
