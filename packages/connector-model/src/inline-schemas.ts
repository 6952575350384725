import type { Json, JsonObject } from './model.ts';

const POINTER = '#/schemas/';
const ITEM_POINTER = '#/items/';

/** The name, among the schemas of inlineSchemas, of an item of the list that a tool returns. */
export function itemSchemaName(toolSlug: string): string {
  return `${ITEM_POINTER}${toolSlug}`;
}

/**
 * Returns `schema` with every `{$ref: '#/schemas/<name>'}` replaced by that schema of the manifest, so that the stored
 * and published schema is self-contained; `#/items/<toolSlug>` is an item of a list tool, if `schemas` has it. Members beside the `$ref` override those of the schema. An unknown name and a
 * schema that contains itself are reported and become `{}`.
 */
export function inlineSchemas(
  schema: JsonObject,
  schemas: { readonly [name: string]: JsonObject },
  report: (problem: string) => void,
): JsonObject {
  const inline = (value: Json, open: readonly string[]): Json => {
    if (Array.isArray(value)) return value.map((item: Json) => inline(item, open));
    if (typeof value !== 'object' || value === null) return value;
    return inlineObject(value as JsonObject, open);
  };
  const inlineObject = (object: JsonObject, open: readonly string[]): JsonObject => {
    const { $ref: ref, ...rest } = object;
    const members = Object.fromEntries(
      Object.entries(rest).map(([key, member]) => [key, inline(member, open)]),
    );
    if (typeof ref !== 'string') return ref === undefined ? members : { $ref: ref, ...members };
    const isItem = ref.startsWith(ITEM_POINTER);
    if (!ref.startsWith(POINTER) && !isItem) return { $ref: ref, ...members };
    const name = isItem ? ref : ref.slice(POINTER.length);
    const target = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (target === undefined || open.includes(name)) {
      report(target === undefined ? `there is no schema '${name}'` : `schema '${name}' contains itself`);
      return members;
    }
    return { ...inlineObject(target, [...open, name]), ...members };
  };
  return inlineObject(schema, []);
}
