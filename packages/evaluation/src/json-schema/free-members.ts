import { isJsonObject } from '@fairlead/connector-model/json';
import type { JsonObject } from '@fairlead/connector-model/model';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** Keywords that assert nothing. */
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
/** Keywords that look at no value of a member that `properties` names, but by its own schema. */
const BY_NAME = new Set([
  ...ANNOTATIONS,
  '$schema',
  'additionalProperties',
  'properties',
  'required',
  'type',
]);

/** The members that an object may have with any value, as far as this schema goes: their own schemas assert nothing, and no other part of it looks at them. */
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

/** The object with null in place of each of these members that it has, so that a check does not read them. */
export function withoutFreeMembers(value: LazyObject, free: ReadonlySet<string>): LazyObject {
  const held = [...free].filter((name) => Object.hasOwn(value, name));
  return held.length === 0
    ? value
    : { ...value, ...Object.fromEntries(held.map((name) => [name, null] as const)) };
}
