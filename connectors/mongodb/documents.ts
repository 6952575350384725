import { EJSON, Long } from 'bson';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { HandlerError, InputError, parsedMembers } from '@fairlead/connector-runtime/handler';
import type { LazyObject } from '@fairlead/connector-runtime/handler';
import { isArray, isObject } from '@fairlead/connector-runtime/templates';
import type { BsonDocument } from './wire.ts';

/** Operators that run JavaScript on the server. */
const SCRIPT_OPERATORS: readonly string[] = ['$where', '$function', '$accumulator'];
/** Stages of an aggregation that write its result to a collection. */
const WRITING_STAGES: readonly string[] = ['$out', '$merge'];

/**
 * A document in Extended JSON, such as `{"_id": {"$oid": "…"}}`; undefined if the input is absent. Throws InputError for an invalid one.
 */
export function documentInput(fields: LazyObject, name: string): BsonDocument | undefined {
  const value = parsedMembers(fields)[name];
  return isObject(value) ? documentOf(value, name) : undefined;
}

/** A list of documents in Extended JSON; empty if the input is absent. */
export function documentsInput(fields: LazyObject, name: string): readonly BsonDocument[] {
  const value = parsedMembers(fields)[name];
  if (value === undefined || !isArray(value)) return [];
  return value.map((each, index) => documentOf(isObject(each) ? each : {}, `${name}[${index}]`));
}

/** A condition in Extended JSON. It may not run JavaScript. */
export function conditionInput(fields: LazyObject, name: string): BsonDocument | undefined {
  const document = documentInput(fields, name);
  refuseOperators(document, SCRIPT_OPERATORS, name, 'runs JavaScript on the server');
  return document;
}

/** The stages of an aggregation. `mode`: whether stages may write. */
export function pipelineInput(
  fields: LazyObject,
  name: string,
  mode: 'read' | 'write',
): readonly BsonDocument[] {
  const stages = documentsInput(fields, name);
  refuseOperators(stages, SCRIPT_OPERATORS, name, 'runs JavaScript on the server');
  if (mode === 'read') refuseOperators(stages, WRITING_STAGES, name, 'writes to a collection');
  return stages;
}

/** A condition with at least one member, so that a forgotten condition does not change every document. */
export function requiredCondition(fields: LazyObject, name: string): BsonDocument {
  const condition = conditionInput(fields, name) ?? {};
  if (Object.keys(condition).length > 0) return condition;
  throw new InputError([
    {
      field: `fields.${name}`,
      issue: 'must have a condition; {"_id": {"$exists": true}} matches all documents',
    },
  ]);
}

function documentOf(value: JsonObject, name: string): BsonDocument {
  const refused = (issue: string): InputError => new InputError([{ field: `fields.${name}`, issue }]);
  let document: unknown;
  try {
    // In the relaxed form, a whole number above 2^53 would lose digits.
    document = EJSON.deserialize(value, { relaxed: false });
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw refused(`must be Extended JSON: ${reason}`);
  }
  if (isPlain(document)) return document;
  throw refused('must be a document, not a value such as {"$oid": "…"}');
}

function refuseOperators(value: unknown, names: readonly string[], field: string, reason: string): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) refuseOperators(each, names, field, reason);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (names.includes(name))
      throw new InputError([{ field: `fields.${field}`, issue: `must not use ${name}, which ${reason}` }]);
    refuseOperators(member, names, field, reason);
  }
}

/** Documents as Extended JSON in its relaxed form. Throws HandlerError as soon as they certainly exceed `maxBytes`. */
export function documentsOutput(documents: readonly BsonDocument[], maxBytes: number): readonly JsonObject[] {
  let bytes = 0;
  return documents.map((document) => {
    const output = documentOutput(document);
    bytes += JSON.stringify(output).length;
    if (bytes > maxBytes)
      throw new HandlerError(
        `The result is larger than ${maxBytes / 1024 / 1024} MiB. Request fewer documents or fields.`,
      );
    return output;
  });
}

/** One document as Extended JSON in its relaxed form. */
export function documentOutput(document: BsonDocument): JsonObject {
  const output = valueOutput(document);
  return isObject(output) ? output : {};
}

/** A value as Extended JSON; whole numbers that JSON cannot hold exactly are `{"$numberLong": "…"}`. */
export function valueOutput(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(valueOutput);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value instanceof Long) return { $numberLong: value.toString() };
  if (isPlain(value))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, valueOutput(member)]));
  // BSON values have a JSON form.
  return EJSON.serialize(value, { relaxed: true });
}

/** Whether a value is a plain JavaScript object, not a BSON value or a list. */
function isPlain(value: unknown): value is BsonDocument {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
