import { isJsonArray, isJsonObject } from '../json.ts';
import { jsonBytes, MAX_SCHEMA_BYTES } from '../limits.ts';
import type { Json, JsonObject } from '../json.ts';
import { schemaSize } from '../schema-size.ts';
import { patternProblem } from './linear-pattern.ts';

const SCHEMAS = [
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'];
/** Keywords that could apply a subschema to one value repeatedly. */
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/**
 * Returns the reason why checking a value may take more than linear time, or undefined if linear time is proved, so
 * that the schema may run without a time limit. Proved schemas check each value against each subschema at most once,
 * have linear patterns, and a `maxItems` wherever items have to be unique. Expects a JSON Schema 2020-12 without
 * unknown keywords.
 */
export function unboundedness(schema: JsonObject): string | undefined {
  if (jsonBytes(schema) > MAX_SCHEMA_BYTES)
    return `must not be larger than ${String(MAX_SCHEMA_BYTES / 1024)} KiB`;
  try {
    schemaSize(schema);
  } catch (error) {
    return `is too large: ${error instanceof Error ? error.message : String(error)}`;
  }
  return problemOf(schema);
}

function problemOf(schema: Json | undefined): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { pattern, patternProperties, uniqueItems, maxItems } = schema;
  const reference = REFERENCES.find((name) => name in schema);
  if (reference !== undefined)
    return `has a ${reference}; only '#/schemas/<name>', which is put in its place, is allowed`;
  if (uniqueItems === true && typeof maxItems !== 'number')
    return 'has uniqueItems without maxItems, so that comparing the items has no bound';
  const patterns = [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isJsonObject(patternProperties) ? Object.keys(patternProperties) : []),
  ];
  for (const each of patterns) {
    const reason = patternProblem(each);
    if (reason !== undefined) return `has a pattern that may take too long, ${each}: ${reason}`;
  }
  return first(subschemas(schema), problemOf);
}

function subschemas(schema: JsonObject): readonly (Json | undefined)[] {
  return [
    ...SCHEMAS.map((name) => schema[name]),
    ...LISTS.flatMap((name) => listOf(schema[name])),
    ...MAPS.flatMap((name) => {
      const map = schema[name];
      return isJsonObject(map) ? Object.values(map) : [];
    }),
  ];
}

function first<T, R>(values: readonly T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}
