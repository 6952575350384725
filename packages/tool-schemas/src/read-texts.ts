import { isJsonArray, isJsonObject, setMember } from '@fairlead/connector-model/json';
import { isDeeperThan } from '@fairlead/connector-model/limits';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { objectOf } from './json.ts';
import { rootObject } from './root.ts';
import { allowsNull, definitionsOf, describe } from './shape.ts';
import type { Shape } from './shape.ts';

/** Maximum depth of inputs that are converted; an execution's fields have less. */
const MAX_LEVELS = 40;
/** Characters of all texts that are read, and levels of each: what a text holds was not counted when the body was read. */
const MAX_TEXT_LENGTH = 256 * 1024;
const MAX_TEXT_LEVELS = 32;

/**
 * The inputs in which every string that stands for a value which a dialect cannot describe is read as JSON. A string that is valid
 * by the schema itself stays one. `dropsNulls`: an optional member that is null is left out, also where null is valid, so that a model
 * that says nothing of a member changes nothing of it.
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

/** Whether a value can have been made by this option of a choice. */
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

/** The JSON value of the text, or the text if that is no JSON, nested too deeply, or a null that the schema does not allow. */
function parsedOr(schema: JsonObject, text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    const isRefusedNull = value === null && schema['type'] !== undefined && !allowsNull(schema);
    return isRefusedNull || isDeeperThan(value, MAX_TEXT_LEVELS) ? text : value;
  } catch {
    return text;
  }
}
