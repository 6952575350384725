import { isJsonObject } from '@fairlead/connector-model/json';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** Keywords without assertions. */
const ANNOTATIONS = new Set([
  '$comment',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
]);
/** Keywords that do not examine the values of members named in `properties`, except by the members' own schemas. */
const BY_NAME = new Set([
  ...ANNOTATIONS,
  '$schema',
  'additionalProperties',
  'properties',
  'required',
  'type',
]);

/**
 * The members that may have any value as far as this schema is concerned: their own schemas assert nothing, and no
 * other part of the schema examines them.
 */
export function freeMembers(schema: JsonObject): ReadonlySet<string> {
  const { properties } = schema;
  if (!isJsonObject(properties) || !Object.keys(schema).every((keyword) => BY_NAME.has(keyword)))
    return new Set();
  return new Set(
    Object.entries(properties).flatMap(([name, member]) =>
      isJsonObject(member) && Object.keys(member).every((keyword) => ANNOTATIONS.has(keyword)) ? [name] : [],
    ),
  );
}

/** The object with null in place of these members, so that a check does not read them. */
export function withoutFreeMembers(value: LazyObject, free: ReadonlySet<string>): LazyObject {
  const names = [...free].filter((name) => Object.hasOwn(value, name));
  return names.length === 0
    ? value
    : { ...value, ...Object.fromEntries(names.map((name) => [name, null] as const)) };
}
