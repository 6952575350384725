import type { Json, JsonObject } from './model.ts';

const POINTER = '#/schemas/';

/**
 * `schema` with every `{$ref: '#/schemas/<name>'}` replaced by that schema of the manifest, so that what is stored and
 * published stands alone. Members beside the `$ref` override those of the schema. An unknown name and a schema that
 * holds itself are reported, and left as `{}`.
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
    if (!ref.startsWith(POINTER)) return { $ref: ref, ...members };
    const name = ref.slice(POINTER.length);
    const target = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (target === undefined || open.includes(name)) {
      report(target === undefined ? `there is no schema '${name}'` : `schema '${name}' holds itself`);
      return members;
    }
    return { ...inlineObject(target, [...open, name]), ...members };
  };
  return inlineObject(schema, []);
}
