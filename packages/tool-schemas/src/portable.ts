import { isJsonArray, isJsonObject, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { adaptSchema } from './profile.ts';
import { describe } from './shape.ts';

/** Root keywords that no model API accepts there. */
const NOT_AT_ROOT = ['not', 'if', 'then', 'else', 'enum', 'const', 'allOf', '$id', '$anchor', '$ref'];
/** Keywords whose values are schemas, by name. */
const NAMED = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);
/** Keywords whose values are lists of schemas. */
const LISTED = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
/** Keywords whose value is a schema. */
const SINGLE = new Set([
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
]);

/**
 * A schema of a tool's inputs that every model API accepts: an object without choices at its root, plain member names, arrays with an item
 * schema, and no references to other documents. `restoreInputs` with the profile `anthropic` converts inputs back. Other constraints stay;
 * an execution checks the tool's own schema.
 */
export function portableSchema(schema: JsonObject): JsonObject {
  const root = adaptSchema(describe(schema).schema, 'anthropic');
  const kept = Object.fromEntries(Object.entries(root).filter(([keyword]) => !NOT_AT_ROOT.includes(keyword)));
  return mapSchema(kept, withItems);
}

/** The schema without references to other documents, which a reader that follows references could not load. */
export function withoutRemoteReferences(schema: JsonObject): JsonObject {
  return mapSchema(schema, (part) => part);
}

/** The schema with `change` applied to each part. */
function mapSchema(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const result: Record<string, Json> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (isRemoteReference(keyword, value)) continue;
    setMember(result, keyword, mapKeyword(keyword, value, change));
  }
  return change(result);
}

function mapKeyword(keyword: string, value: Json, change: (schema: JsonObject) => JsonObject): Json {
  const map = (part: Json): Json => (isJsonObject(part) ? mapSchema(part, change) : part);
  if (SINGLE.has(keyword)) return map(value);
  if (LISTED.has(keyword) && isJsonArray(value)) return value.map(map);
  if (!NAMED.has(keyword) || !isJsonObject(value)) return value;
  const result: Record<string, Json> = {};
  for (const [name, part] of Object.entries(value)) setMember(result, name, part === true ? {} : map(part));
  return result;
}

function withItems(schema: JsonObject): JsonObject {
  const isArray = schema['type'] === 'array' && schema['items'] === undefined;
  return isArray ? { ...schema, items: {} } : schema;
}

function isRemoteReference(keyword: string, value: Json): boolean {
  if (!['$ref', '$dynamicRef', '$recursiveRef'].includes(keyword)) return false;
  return typeof value !== 'string' || !value.startsWith('#');
}
