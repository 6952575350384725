import type { Json, JsonObject } from './json.ts';

const POINTER = '#/schemas/';
const ITEM_POINTER = '#/items/';

/** The name, in the schemas of inlineSchemas, for the item schema of a list tool. */
export function itemSchemaName(toolSlug: string): string {
  return `${ITEM_POINTER}${toolSlug}`;
}

/**
 * Returns `schema` with every `{$ref: '#/schemas/<name>'}` replaced by the manifest's schema of that name, and
 * every `#/items/<toolSlug>` by the item schema of that list tool, if `schemas` has it, so that
 * stored and published schemas are self-contained. Members beside the `$ref` override members of that schema. Unknown
 * names and schemas that contain themselves are reported and become `{}`.
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
