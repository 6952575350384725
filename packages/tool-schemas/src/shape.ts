import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { objectOf, stringsOf } from './json.ts';

/** A member of an object. */
interface Property {
  readonly schema: Json;
  readonly isRequired: boolean;
}

/** The kind of value that a schema describes, as far as model dialects can express it. */
export type Shape =
  /** An object with named members; unknown members are left out. */
  | { readonly kind: 'object'; readonly properties: ReadonlyMap<string, Property> }
  | { readonly kind: 'array'; readonly items: Json }
  /** One of several schemas. */
  | { readonly kind: 'choice'; readonly options: readonly Json[] }
  /** A reference to the schema with this name in `$defs` (or `definitions`). */
  | { readonly kind: 'reference'; readonly name: string }
  /** A string, number, boolean, null or enumeration. */
  | { readonly kind: 'scalar' }
  /** Any JSON value, or an object with unknown members. */
  | { readonly kind: 'open' };

/** A schema merged with its `allOf`, and its shape. */
export interface SchemaShape {
  readonly schema: JsonObject;
  readonly shape: Shape;
}

const SCALARS = new Set(['string', 'number', 'integer', 'boolean', 'null']);
const LOCAL_REFERENCE = /^#\/(?:\$defs|definitions)\/([^/]+)$/;

/** Returns a schema's shape. Schemas that are not objects, and references outside of `$defs`, describe any value. */
export function describe(schema: Json): SchemaShape {
  const source = objectOf(schema);
  if (source === undefined) return { schema: {}, shape: { kind: 'open' } };
  const merged = mergeAll(source);
  return { schema: merged, shape: shapeOf(merged) };
}

/** The schemas in `$defs` and `definitions`, by name. */
export function definitionsOf(root: JsonObject): ReadonlyMap<string, Json> {
  return new Map([
    ...Object.entries(objectOf(root['definitions']) ?? {}),
    ...Object.entries(objectOf(root['$defs']) ?? {}),
  ]);
}

/** The types in a schema's `type`. */
export function typesOf(schema: JsonObject): readonly string[] {
  const { type } = schema;
  return typeof type === 'string' ? [type] : stringsOf(type);
}

/** Whether null is a valid value. */
export function allowsNull(schema: JsonObject): boolean {
  const values = schema['enum'];
  if (isJsonArray(values)) return values.includes(null);
  if (schema['const'] !== undefined) return schema['const'] === null;
  const options = optionsOf(schema);
  if (options !== undefined && typesOf(schema).length === 0)
    return options.some((option) => allowsNull(objectOf(option) ?? {}));
  return typesOf(schema).includes('null');
}

function shapeOf(schema: JsonObject): Shape {
  const reference = schema['$ref'];
  if (reference !== undefined) {
    const [, name] = LOCAL_REFERENCE.exec(typeof reference === 'string' ? reference : '') ?? [];
    return name === undefined ? { kind: 'open' } : { kind: 'reference', name: unescaped(name) };
  }
  if (isJsonArray(schema['enum']) || schema['const'] !== undefined) return enumShape(schema);
  const types = typesOf(schema).filter((type) => type !== 'null');
  const hasProperties = objectOf(schema['properties']) !== undefined;
  const options = optionsOf(schema);
  if (options !== undefined && !hasProperties) return { kind: 'choice', options };
  if (types.length > 1) {
    if (types.every((type) => SCALARS.has(type))) return { kind: 'scalar' };
    return { kind: 'choice', options: typesOf(schema).map((type) => ({ ...schema, type })) };
  }
  const [type] = types;
  if (type === 'object' || (type === undefined && hasProperties)) return objectShape(schema);
  if (type === 'array') {
    const { items } = schema;
    return schema['prefixItems'] === undefined && items !== undefined
      ? { kind: 'array', items }
      : { kind: 'open' };
  }
  return type === undefined && typesOf(schema).length === 0 ? { kind: 'open' } : { kind: 'scalar' };
}

function enumShape(schema: JsonObject): Shape {
  const values = isJsonArray(schema['enum']) ? schema['enum'] : [schema['const']];
  return values.every((value) => typeof value !== 'object' || value === null)
    ? { kind: 'scalar' }
    : { kind: 'open' };
}

function objectShape(schema: JsonObject): Shape {
  const entries = Object.entries(objectOf(schema['properties']) ?? {});
  if (entries.length === 0) return schema['additionalProperties'] === false ? closed() : { kind: 'open' };
  const required = new Set(stringsOf(schema['required']));
  return {
    kind: 'object',
    properties: new Map(
      entries.map(([name, member]) => [name, { schema: member, isRequired: required.has(name) }]),
    ),
  };
}

function closed(): Shape {
  return { kind: 'object', properties: new Map() };
}

function optionsOf(schema: JsonObject): readonly Json[] | undefined {
  for (const keyword of ['anyOf', 'oneOf']) {
    const options = schema[keyword];
    if (isJsonArray(options) && options.length > 0) return options;
  }
  return undefined;
}

/** Merges a schema with its `allOf`: members and requirements of all; for other keywords, the first schema that has them. */
function mergeAll(schema: JsonObject): JsonObject {
  const parts = schema['allOf'];
  if (!isJsonArray(parts)) return schema;
  const { allOf: _, ...own } = schema;
  return mergeSchemas([own, ...parts.map((part) => mergeAll(objectOf(part) ?? {}))], 'all');
}

/**
 * Merges several schemas into one with the members of all. `all`: a value satisfies each schema, so a member is required if any schema
 * requires it. `any`: a value satisfies one schema, so a member is required only if all schemas require it.
 */
export function mergeSchemas(schemas: readonly JsonObject[], mode: 'all' | 'any'): JsonObject {
  const merged: Record<string, Json> = {};
  const properties: Record<string, Json> = {};
  for (const schema of schemas) {
    for (const [name, value] of Object.entries(schema)) {
      if (name === 'properties' || name === 'required' || Object.hasOwn(merged, name)) continue;
      setMember(merged, name, value);
    }
    for (const [name, member] of Object.entries(objectOf(schema['properties']) ?? {})) {
      if (!Object.hasOwn(properties, name)) setMember(properties, name, member);
    }
  }
  const required = schemas.map((schema) => stringsOf(schema['required']));
  const names =
    mode === 'all'
      ? new Set(required.flat())
      : new Set((required[0] ?? []).filter((name) => required.every((of) => of.includes(name))));
  if (Object.keys(properties).length > 0) merged['properties'] = properties;
  if (names.size > 0) merged['required'] = [...names];
  return merged;
}

/** A member name in a JSON pointer in a URI fragment (RFC 6901, section 6), decoded. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return text;
  }
}
