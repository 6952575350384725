import { schemaSize } from '@fairlead/connector-model/schema-size';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { draft07, draft2020 } from './dialects.ts';
import type { Dialect } from './dialects.ts';
import { fieldIssues } from './field-issues.ts';

/**
 * If a value has more parts than this, divided by the size of the schema, only its first error is reported: a list of
 * all could be larger than both.
 */
const MAX_PRODUCT_FOR_ALL_ERRORS = 200_000;
const MAX_PARTS_FOR_ALL_ERRORS = 20_000;

/** A JSON Schema that is ready to check values. */
export interface CompiledSchema {
  /**
   * The issues of a value, one per field, whose paths begin with `root`: `fields` results in `fields.email`. Throws
   * RangeError if the stack is too small for the value.
   */
  issuesOf(value: JsonObject, root: string): readonly FieldIssue[];
}

/**
 * Compiles a JSON Schema: 2020-12, or draft-07 if the schema says so or only compiles as draft-07. Throws Error if it does
 * not compile or is above the limits of schemaSize. Has no limit of time: only for schemas that are proved to be bounded,
 * or in a worker.
 */
export function compileSchema(schema: JsonObject): CompiledSchema {
  const size = schemaSize(schema);
  const dialect = dialectOf(schema);
  const first = dialect.compile(schema, { allErrors: false });
  let all: ValidateFunction | undefined;

  function errorsOf(value: JsonObject): readonly ErrorObject[] {
    const firstErrors = errorsAfter(first, value);
    if (firstErrors.length === 0) return firstErrors;
    const maxParts = Math.min(MAX_PARTS_FOR_ALL_ERRORS, MAX_PRODUCT_FOR_ALL_ERRORS / size);
    if (partsOf(value, maxParts) >= maxParts) return firstErrors;
    all ??= dialect.compile(schema, { allErrors: true });
    return errorsAfter(all, value);
  }

  return { issuesOf: (value, root) => fieldIssues(errorsOf(value), root) };
}

function dialectOf(schema: JsonObject): Dialect {
  const declared = schema['$schema'];
  const isOld = typeof declared === 'string' && /draft-0\d/.test(declared);
  const order = isOld ? [draft07, draft2020] : [draft2020, draft07];
  const dialect = order.find(({ metaValidator }) => metaValidator(schema));
  if (!dialect) throw new Error('The schema is neither valid JSON Schema 2020-12 nor valid draft-07.');
  return dialect;
}

function errorsAfter(validate: ValidateFunction, value: JsonObject): readonly ErrorObject[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

/** Counts the values that a value consists of, up to `limit`. */
function partsOf(value: Json, limit: number): number {
  let count = 0;
  const open: Json[] = [value];
  while (open.length > 0 && count < limit) {
    const next = open.pop();
    count += 1;
    if (typeof next === 'object' && next !== null) open.push(...Object.values(next).slice(0, limit));
  }
  return count;
}
