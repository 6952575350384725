import { isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { isArray, isObject } from '../templates.ts';

/**
 * The value with only the properties that its schema declares, at every level. A schema without `properties`, or with
 * `additionalProperties` other than false, keeps the whole object.
 */
export function trimmed(value: Json, schema: Json | undefined): Json {
  if (!isJsonObject(schema)) return value;
  if (isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => trimmed(item, items));
  }
  const { properties, additionalProperties = false } = schema;
  if (!isObject(value) || !isJsonObject(properties) || additionalProperties !== false) return value;
  // fromEntries defines own members, so a key `__proto__` stays data.
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, Json][] =>
      Object.hasOwn(properties, name) ? [[name, trimmed(inner, properties[name])]] : [],
    ),
  );
}

/** The list's items with only the properties that the output schema declares for them. */
export function trimmedItems(items: readonly Json[], outputSchema: JsonObject): readonly Json[] {
  const { properties } = outputSchema;
  const schema = isJsonObject(properties) ? properties['items'] : undefined;
  return isJsonObject(schema) ? items.map((item) => trimmed(item, schema['items'])) : items;
}
