import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { JsonSchema } from '../json-schema.ts';
import type { Reference } from './reference.ts';

/** An operation's request, split by the places of its values. */
export interface ExampleRequest {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Bytes that are sent instead of JSON. */
  readonly content?: { readonly type: string; readonly text: string };
}

/** A recorded request with its successful response. */
export interface OperationExample {
  readonly request: ExampleRequest;
  /** The JSON, or the text of other content; absent without content. */
  readonly response?: unknown;
}

/** The code for a request with one tool or client (`x-codeSamples`). */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** The examples of a document, by operation id and by error code. */
export interface DocumentExamples {
  readonly operations: Readonly<Record<string, OperationExample>>;
  readonly samples: Readonly<Record<string, readonly CodeSample[]>>;
  readonly errors: Readonly<Partial<Record<ErrorCode, unknown>>>;
}

/** An example. `x-disabled`: the API reference's forms show the value but do not send it. */
export interface ExampleObject {
  readonly value: unknown;
  readonly 'x-disabled'?: true;
}

/** Examples by name. */
export interface Examples {
  readonly examples?: Readonly<Record<string, ExampleObject | Reference>>;
}

/** The name of each parameter's and body's only example, which the API reference's forms show first. */
const EXAMPLE = 'default';

/** The example of a body or response; none if there is no value. */
export function exampleOf(value: unknown): Examples {
  return value === undefined ? {} : { examples: { [EXAMPLE]: { value } } };
}

/** The example for the first of these errors that has one, by reference to the document's shared examples. */
export function errorExample(codes: readonly ErrorCode[], errors: DocumentExamples['errors']): Examples {
  const code = codes.find((each) => errors[each] !== undefined);
  return code === undefined ? {} : { examples: { [EXAMPLE]: { $ref: `#/components/examples/${code}` } } };
}

/**
 * The example of a parameter: `value`, or for an optional parameter its default or first accepted value. Optional
 * parameters are not selected. Without an example, the API reference would select the default or first value, and
 * send it.
 */
export function parameterExample(
  value: unknown,
  isRequired: boolean,
  { default: standard, enum: values }: JsonSchema,
): Examples {
  if (isRequired) return exampleOf(value);
  const example: unknown = value ?? standard ?? values?.[0];
  return example === undefined ? {} : { examples: { [EXAMPLE]: { value: example, 'x-disabled': true } } };
}
