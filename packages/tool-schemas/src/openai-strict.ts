import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { jsonText, withNote } from './json-text.ts';
import { objectOf } from './json.ts';
import { rootObject } from './root.ts';
import { allowsNull, definitionsOf, describe, typesOf } from './shape.ts';
import type { SchemaShape } from './shape.ts';

/** Maximum depth of objects and arrays, and maximum members of all objects together, in OpenAI's strict schemas. */
const MAX_LEVELS = 10;
const MAX_PROPERTIES = 5_000;

/** The keywords that OpenAI accepts beside the structure of a strict schema. */
const KEPT = [
  'title',
  'description',
  'pattern',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
] as const;
const ARRAY_KEPT = ['title', 'description', 'minItems', 'maxItems'] as const;
const FORMATS = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

interface State {
  /** Number of members that the schema may still get. */
  left: number;
  readonly definitions: ReadonlyMap<string, Json>;
}

/**
 * The schema in the dialect of OpenAI's structured outputs: every object is closed and all of its members are required; an optional member
 * may be null instead. `$defs` and references between them stay.
 */
export function openAiStrictSchema(schema: JsonObject): JsonObject {
  const definitions = definitionsOf(schema);
  const state: State = { left: MAX_PROPERTIES, definitions };
  const root = adaptObject(describe(rootObject(schema)), state, 1);
  if (definitions.size === 0) return root;
  const adapted: Record<string, Json> = {};
  for (const [name, definition] of definitions) setMember(adapted, name, adapt(definition, state, 2));
  return { ...root, $defs: adapted };
}

function adapt(schema: Json, state: State, level: number): JsonObject {
  const described = describe(schema);
  const { shape } = described;
  const own = described.schema;
  switch (shape.kind) {
    case 'open':
      return jsonText(own);
    case 'reference':
      return state.definitions.has(shape.name)
        ? { $ref: `#/$defs/${pointerPart(shape.name)}` }
        : jsonText(own);
    case 'choice':
      if (level > MAX_LEVELS) return jsonText(own);
      return {
        ...kept(own, ['description']),
        anyOf: shape.options.map((option) => adapt(option, state, level + 1)),
      };
    case 'array':
      if (level > MAX_LEVELS) return jsonText(own);
      return orNull(own, {
        ...kept(own, ARRAY_KEPT),
        type: 'array',
        items: adapt(shape.items, state, level + 1),
      });
    case 'object':
      state.left -= shape.properties.size;
      if (level > MAX_LEVELS || state.left < 0) return jsonText(own);
      return orNull(own, adaptObject(described, state, level));
    case 'scalar':
      return scalar(own);
  }
}

function adaptObject({ schema, shape }: SchemaShape, state: State, level: number): JsonObject {
  const properties: Record<string, Json> = {};
  if (shape.kind === 'object') {
    for (const [name, { schema: member, isRequired }] of shape.properties) {
      const adapted = adapt(member, state, level + 1);
      setMember(properties, name, isRequired ? adapted : nullable(adapted));
    }
  }
  return {
    ...kept(schema, ['title', 'description']),
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function scalar(schema: JsonObject): JsonObject {
  const { format, enum: values, const: only } = schema;
  const types = typesOf(schema);
  return {
    ...kept(schema, KEPT),
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(typeof format === 'string' && FORMATS.has(format) && { format }),
    ...(isJsonArray(values) ? { enum: values } : only !== undefined && { enum: [only] }),
  };
}

/** The schema, with null as an additional valid value; models send null for an omitted member. */
function nullable(schema: JsonObject): JsonObject {
  const noted = withNote(schema, 'Null if it is not given.');
  const { anyOf, enum: values } = schema;
  if (isJsonArray(anyOf)) {
    return anyOf.some((option) => objectOf(option)?.['type'] === 'null')
      ? noted
      : { ...noted, anyOf: [...anyOf, { type: 'null' }] };
  }
  if (schema['$ref'] !== undefined) return { anyOf: [schema, { type: 'null' }] };
  const types = typesOf(schema);
  return {
    ...noted,
    ...(types.length > 0 && !types.includes('null') && { type: [...types, 'null'] }),
    ...(isJsonArray(values) && !values.includes(null) && { enum: [...values, null] }),
  };
}

/** `structure`, which also accepts null if the original schema does. */
function orNull(original: JsonObject, structure: JsonObject): JsonObject {
  return allowsNull(original) ? { ...structure, type: [...typesOf(structure), 'null'] } : structure;
}

function kept(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])),
  );
}

function pointerPart(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
