import { patternProblem } from '../gates/linear-pattern.ts';
import { isJsonArray, isJsonObject, setMember } from '../json.ts';
import { isDeeperThan, jsonBytes } from '../limits.ts';
import type { Json, JsonObject } from '../json.ts';
import { plainText } from './plain-text.ts';
import { keepsAll } from './member-tree.ts';
import type { MemberTree } from './member-tree.ts';
import { viewOf } from './schema-view.ts';
import type { Resolve, SchemaView } from './schema-view.ts';

/** Maximum bytes of an imported schema's JSON. */
const MAX_IMPORTED_BYTES = 32 * 1024;
/**
 * Maximum parts that are read; a larger schema also exceeds MAX_IMPORTED_BYTES. Schemas that contain each other would
 * have billions of parts.
 */
const MAX_PARTS = 5_000;
/** Maximum depth of an imported schema's JSON. */
export const MAX_IMPORTED_LEVELS = 12;
/** An object with one member. */
const MIN_LEVELS = 3;
const MAX_ENUM = 200;
/** A value of Google's enums that stands for no value. */
const UNSPECIFIED = /(?:^|_)UNSPECIFIED$/;
const MAX_OUTPUT_TEXT = 160;
const MAX_INPUT_TEXT = 300;

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'];
const FORMATS = ['date', 'date-time', 'email', 'ipv4', 'ipv6', 'uri', 'uuid'];
const LENGTHS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** Options for reading a vendor's schema. */
export interface ReadOptions {
  readonly resolve: Resolve;
  /** Inputs keep the constraints on their values. Outputs do not, because vendors add members and values, or send null. */
  readonly use: 'input' | 'output';
  readonly keep: MemberTree;
  /** Maximum depth of the schema's JSON. */
  readonly levels: number;
}

/**
 * Converts a vendor's schema to JSON Schema 2020-12 without references, within the import limits. A part that is too
 * deep, or contains itself, becomes an open schema.
 */
export function readSchema(view: SchemaView, o: ReadOptions): JsonObject {
  for (let levels = o.levels; levels >= MIN_LEVELS; levels -= 1) {
    const parts = { left: MAX_PARTS };
    const schema = read(view, { ...o, levels, parts });
    if (parts.left >= 0 && jsonBytes(schema) <= MAX_IMPORTED_BYTES && !isDeeperThan(schema, levels))
      return schema;
  }
  return read(view, { ...o, levels: 1, parts: { left: MAX_PARTS } });
}

interface SchemaReader extends ReadOptions {
  readonly parts: { left: number };
}

function read(view: SchemaView, o: SchemaReader): JsonObject {
  o.parts.left -= 1;
  if (o.parts.left < 0) return {};
  const type = typeOf(view);
  const text = description(view, o);
  const head = {
    ...(type === undefined ? {} : { type }),
    ...(text === undefined ? {} : { description: text }),
  };
  if (o.levels < 2) {
    const { enum: _values, ...scalar } =
      type === 'object' || type === 'array' ? {} : readScalar(view, type, o);
    return { ...head, ...scalar };
  }
  if (view.variants.length > 0) return { ...head, ...readVariants(view, o) };
  const whole = { ...head, ...(view.isNullable && type !== undefined ? { type: [type, 'null'] } : {}) };
  switch (type) {
    case 'object':
      return { ...whole, ...readObject(view, o) };
    case 'array':
      return { ...whole, ...readItems(view, o), ...(o.use === 'input' ? lengths(view.schema) : {}) };
    default:
      return { ...whole, ...readScalar(view, type, o) };
  }
}

function readVariants(view: SchemaView, o: SchemaReader): JsonObject {
  // For an output, the union of the alternatives' members is enough.
  if ((o.use === 'output' || !keepsAll(o.keep)) && view.variants.every((each) => typeOf(each) === 'object')) {
    const properties = Object.assign(
      {},
      ...view.variants.map(({ schema }) => schema['properties'] ?? {}),
      view.schema['properties'] ?? {},
    ) as JsonObject;
    const open = [...new Set(view.variants.flatMap((each) => each.open))];
    return read({ ...view, schema: { ...view.schema, type: 'object', properties }, variants: [], open }, o);
  }
  const variants = view.variants.map((each) => read(each, { ...o, levels: o.levels - 2 }));
  const unique = [...new Map(variants.map((each) => [JSON.stringify(each), each])).values()];
  // If one alternative allows anything, the others have no effect.
  if (unique.some((each) => each['type'] === undefined && each['anyOf'] === undefined)) return {};
  return { anyOf: [...unique, ...(view.isNullable ? [{ type: 'null' }] : [])] };
}

function readObject({ schema, open }: SchemaView, o: SchemaReader): JsonObject {
  const known = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const names = keepsAll(o.keep) ? Object.keys(known) : Object.keys(o.keep).filter((name) => name in known);
  const properties: Record<string, Json> = {};
  if (o.levels >= MIN_LEVELS)
    for (const name of names) {
      // A limit: further properties are not read.
      if (o.parts.left < 0) break;
      const raw = known[name];
      if (!isJsonObject(raw) || (keepsAll(o.keep) && isHidden(raw, o.use))) continue;
      const view = viewOf(raw, o.resolve, open);
      const keep = o.keep[name] ?? {};
      const member = view === undefined ? cutOff(raw, o) : read(view, { ...o, keep, levels: o.levels - 2 });
      setMember(properties, name, o.use === 'output' ? orNull(member) : member);
    }
  const required = isJsonArray(schema['required'])
    ? schema['required'].filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
    : [];
  const more = schema['additionalProperties'];
  const moreView = isJsonObject(more) ? viewOf(more, o.resolve, open) : undefined;
  return {
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 || o.use === 'output' ? {} : { required }),
    ...(moreView === undefined || names.length > 0
      ? {}
      : { additionalProperties: read(moreView, { ...o, levels: o.levels - 1 }) }),
  };
}

/**
 * Vendors send null for unset values, whatever their descriptions say, and MCP clients refuse values that do not
 * match the schema.
 */
function orNull(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  if (typeof type === 'string') return { ...schema, type: [type, 'null'] };
  if (!isJsonArray(anyOf) || anyOf.some((each) => isJsonObject(each) && each['type'] === 'null'))
    return schema;
  return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
}

/** A part that contains itself keeps only its type and description. */
function cutOff(raw: JsonObject, { resolve, use }: ReadOptions): JsonObject {
  const { $ref: ref } = raw;
  const target = typeof ref === 'string' ? resolve(ref) : undefined;
  const schema = { ...target, ...raw };
  const type = typeOf({ schema });
  const text = description({ schema }, { use });
  return { ...(type !== undefined && { type }), ...(text !== undefined && { description: text }) };
}

/** Read-only values are no inputs, and write-only values are no outputs. */
function isHidden(raw: JsonObject, use: ReadOptions['use']): boolean {
  return raw['deprecated'] === true || raw[use === 'input' ? 'readOnly' : 'writeOnly'] === true;
}

function readItems({ schema, open }: SchemaView, o: SchemaReader): JsonObject {
  const { items } = schema;
  const view = isJsonObject(items) ? viewOf(items, o.resolve, open) : undefined;
  const cut = isJsonObject(items) ? cutOff(items, o) : {};
  return { items: view === undefined ? cut : read(view, { ...o, levels: o.levels - 1 }) };
}

function readScalar(
  { schema, isNullable }: SchemaView,
  type: string | undefined,
  o: ReadOptions,
): JsonObject {
  if (o.use === 'output') return {};
  const format = schema['format'];
  const pattern = schema['pattern'];
  const values = enumOf(schema, type);
  return {
    ...(values === undefined
      ? {}
      : { enum: [...values, ...(isNullable && !values.includes(null) ? [null] : [])] }),
    ...(type === 'string' && typeof format === 'string' && FORMATS.includes(format) ? { format } : {}),
    ...lengths(schema),
    ...limits(schema),
    ...(type === 'string' && typeof pattern === 'string' && patternProblem(pattern) === undefined
      ? { pattern }
      : {}),
  };
}

function enumOf(schema: JsonObject, type: string | undefined): readonly Json[] | undefined {
  const values = 'const' in schema ? [schema['const'] ?? null] : schema['enum'];
  if (!isJsonArray(values) || values.length === 0 || values.length > MAX_ENUM) return undefined;
  const meant = values.filter((value) => typeof value !== 'string' || !UNSPECIFIED.test(value));
  const unique = [...new Set(meant.length > 0 ? meant : values)];
  const isOfType = (value: Json): boolean =>
    value === null || typeof value === (type === 'integer' ? 'number' : type);
  return unique.every(isOfType) ? unique : undefined;
}

function lengths(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    LENGTHS.flatMap((name) => {
      const value = numberOf(schema[name]);
      return value !== undefined && Number.isInteger(value) && value >= 0 ? [[name, value]] : [];
    }),
  );
}

/** In OpenAPI 3.0, `exclusiveMinimum` is a boolean beside `minimum`. */
function limits(schema: JsonObject): JsonObject {
  const found: Record<string, Json> = {};
  for (const name of LIMITS) {
    const value = numberOf(schema[name]);
    if (value !== undefined && (name !== 'multipleOf' || value > 0)) found[name] = value;
  }
  if (schema['exclusiveMinimum'] === true && 'minimum' in found) {
    found['exclusiveMinimum'] = found['minimum'] ?? 0;
    delete found['minimum'];
  }
  if (schema['exclusiveMaximum'] === true && 'maximum' in found) {
    found['exclusiveMaximum'] = found['maximum'] ?? 0;
    delete found['maximum'];
  }
  return found;
}

/** Discovery documents have numbers as strings. */
function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value !== '' && Number.isFinite(Number(value))
    ? Number(value)
    : undefined;
}

function typeOf({ schema }: Pick<SchemaView, 'schema'>): string | undefined {
  const { type } = schema;
  const named = (isJsonArray(type) ? type : [type]).filter((each) => each !== 'null');
  const [only] = named;
  if (named.length === 1 && typeof only === 'string' && TYPES.includes(only)) return only;
  if (isJsonObject(schema['properties'])) return 'object';
  return isJsonObject(schema['items']) ? 'array' : undefined;
}

function description(
  { schema }: Pick<SchemaView, 'schema'>,
  { use }: Pick<ReadOptions, 'use'>,
): string | undefined {
  const text = schema['description'];
  if (typeof text !== 'string') return undefined;
  return plainText(text, use === 'input' ? MAX_INPUT_TEXT : MAX_OUTPUT_TEXT);
}
