import { isJsonArray, isJsonObject, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { isDeeperThan } from '@fairlead/connector-model/limits';
import { objectOf } from './json.ts';
import { rootObject } from './root.ts';
import { allowsNull, definitionsOf, describe } from './shape.ts';
import type { Shape } from './shape.ts';

/** Maximum depth of inputs that are converted; an execution's fields have fewer levels. */
const MAX_LEVELS = 40;
/** Maximum length of all parsed texts together, and maximum depth of each. The limits of the body did not count the content of texts. */
const MAX_TEXT_LENGTH = 256 * 1024;
const MAX_TEXT_LEVELS = 32;

/**
 * Parses strings that stand for values which a dialect cannot express. A string that is valid by the schema itself stays a string.
 * `dropsNulls`: removes optional members that are null, even if null is valid, so that a member that the model omits changes nothing.
 */
export function readTexts(
  schema: JsonObject,
  inputs: JsonObject,
  o: { readonly dropsNulls: boolean },
): JsonObject {
  const definitions = definitionsOf(schema);
  let left = MAX_TEXT_LENGTH;
  const parsed = (of: JsonObject, text: string): Json => {
    left -= text.length;
    return left < 0 ? text : parsedOr(of, text);
  };
  const read = (of: Json, value: Json, level: number): Json => {
    const { schema: own, shape } = describe(of);
    if (level > MAX_LEVELS) return value;
    if (shape.kind === 'reference') return read(definitions.get(shape.name) ?? true, value, level + 1);
    if (shape.kind === 'choice') {
      const fitting = shape.options.find((option) => fits(describe(option).shape, value));
      return fitting === undefined ? value : read(fitting, value, level + 1);
    }
    if (typeof value === 'string') return shape.kind === 'scalar' ? value : parsed(own, value);
    if (shape.kind === 'array' && isJsonArray(value))
      return value.map((item) => read(shape.items, item, level + 1));
    if (shape.kind !== 'object' || !isJsonObject(value)) return value;
    const result: Record<string, Json> = {};
    for (const [name, member] of Object.entries(value)) {
      const property = shape.properties.get(name);
      if (o.dropsNulls && member === null && property?.isRequired === false) continue;
      setMember(result, name, property === undefined ? member : read(property.schema, member, level + 1));
    }
    return result;
  };
  return objectOf(read(rootObject(schema), inputs, 0)) ?? inputs;
}

/** Whether this option of a choice could have produced a value. */
function fits(shape: Shape, value: Json): boolean {
  switch (shape.kind) {
    case 'object':
      return isJsonObject(value) && Object.keys(value).every((name) => shape.properties.has(name));
    case 'array':
      return isJsonArray(value);
    case 'scalar':
      return typeof value !== 'object' || value === null;
    case 'choice':
    case 'reference':
      return true;
    case 'open':
      return typeof value === 'string';
  }
}

/** The JSON value of the text. The text itself, if it is not JSON, nests too deep, or is a null that the schema does not permit. */
function parsedOr(schema: JsonObject, text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    const isRefusedNull = value === null && schema['type'] !== undefined && !allowsNull(schema);
    return isRefusedNull || isDeeperThan(value, MAX_TEXT_LEVELS) ? text : value;
  } catch {
    return text;
  }
}
