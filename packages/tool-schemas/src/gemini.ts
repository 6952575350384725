import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { jsonText, withNote } from './json-text.ts';
import { rootObject } from './root.ts';
import { allowsNull, definitionsOf, describe, typesOf } from './shape.ts';
import type { SchemaShape } from './shape.ts';

/** Maximum nesting depth of objects and arrays; a reference counts like the schema that it refers to. */
const MAX_LEVELS = 10;
/** Maximum number of schemas in the result, because references that contain each other could multiply without end. */
const MAX_SCHEMAS = 2_000;

const STRING_KEPT = ['title', 'description', 'pattern', 'minLength', 'maxLength', 'default'] as const;
const NUMBER_KEPT = ['title', 'description', 'minimum', 'maximum', 'default'] as const;
const NUMBER_FORMATS = new Set(['float', 'double', 'int32', 'int64']);

interface State {
  left: number;
  readonly definitions: ReadonlyMap<string, Json>;
}

/**
 * The schema in the dialect of Gemini's function declarations, a subset of OpenAPI 3.0: one type per schema and `nullable`, `enum` of
 * strings only, references replaced by their schemas, no `additionalProperties`.
 */
export function geminiSchema(schema: JsonObject): JsonObject {
  const state: State = { left: MAX_SCHEMAS, definitions: definitionsOf(schema) };
  return adaptObject(describe(rootObject(schema)), state, 1);
}

function adapt(schema: Json, state: State, level: number): JsonObject {
  state.left -= 1;
  const described = describe(schema);
  const { shape, schema: own } = described;
  if (shape.kind !== 'scalar' && (level > MAX_LEVELS || state.left < 0)) return jsonText(own);
  switch (shape.kind) {
    case 'open':
      return jsonText(own);
    case 'reference': {
      const named = state.definitions.get(shape.name);
      return named === undefined ? jsonText(own) : adapt(named, state, level + 1);
    }
    case 'choice':
      return {
        ...kept(own, ['description']),
        ...(allowsNull(own) && { nullable: true }),
        anyOf: shape.options.flatMap((option) => {
          const { schema: one } = describe(option);
          return typesOf(one).join() === 'null' ? [] : [adapt(option, state, level + 1)];
        }),
      };
    case 'array':
      return {
        ...kept(own, ['title', 'description', 'minItems', 'maxItems']),
        ...(allowsNull(own) && { nullable: true }),
        type: 'array',
        items: adapt(shape.items, state, level + 1),
      };
    case 'object':
      return shape.properties.size === 0
        ? jsonText(own)
        : { ...adaptObject(described, state, level), ...(allowsNull(own) && { nullable: true }) };
    case 'scalar':
      return scalar(own);
  }
}

function adaptObject({ schema, shape }: SchemaShape, state: State, level: number): JsonObject {
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  if (shape.kind === 'object') {
    for (const [name, { schema: member, isRequired }] of shape.properties) {
      setMember(properties, name, adapt(member, state, level + 1));
      if (isRequired) required.push(name);
    }
  }
  return {
    ...kept(schema, ['title', 'description']),
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
  };
}

function scalar(schema: JsonObject): JsonObject {
  const nullability = allowsNull(schema) ? { nullable: true } : {};
  const { enum: enumValues, const: only, format } = schema;
  const values = (isJsonArray(enumValues) ? enumValues : only === undefined ? [] : [only]).filter(
    (value) => value !== null,
  );
  if (values.length > 0) {
    const texts = values.filter((value) => typeof value === 'string');
    if (texts.length === values.length)
      return { ...kept(schema, ['title', 'description']), ...nullability, type: 'string', enum: texts };
    const type = values.every((value) => typeof value === 'boolean')
      ? 'boolean'
      : values.every((value) => typeof value === 'number')
        ? 'number'
        : undefined;
    if (type === undefined) return jsonText(schema);
    const note = `One of ${values.map((value) => JSON.stringify(value)).join(', ')}.`;
    return withNote({ ...kept(schema, ['title', 'description']), ...nullability, type }, note);
  }
  const types = typesOf(schema).filter((type) => type !== 'null');
  if (types.length > 1) {
    return {
      ...kept(schema, ['description']),
      ...nullability,
      anyOf: types.map((type) => scalar({ ...schema, type, description: `A ${type}.` })),
    };
  }
  const type = types[0] ?? 'string';
  const isString = type === 'string';
  const hasFormat =
    typeof format === 'string' && (isString ? format === 'date-time' : NUMBER_FORMATS.has(format));
  return {
    ...kept(schema, isString ? STRING_KEPT : NUMBER_KEPT),
    ...nullability,
    type,
    ...(hasFormat && { format }),
  };
}

function kept(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])),
  );
}
