import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { JsonSchema } from '../json-schema.ts';
import type { Reference } from './reference.ts';

/** A request of an operation, by where its values stand. */
export interface ExampleRequest {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Bytes that are sent instead of JSON. */
  readonly content?: { readonly type: string; readonly text: string };
}

/** A request with its successful response, as they were recorded. */
export interface OperationExample {
  readonly request: ExampleRequest;
  /** JSON, or the text of other content; missing without content. */
  readonly response?: unknown;
}

/** How a request is sent with one tool or client (`x-codeSamples`). */
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

/** An example; `x-disabled`: forms of the API reference show the value and do not send it. */
export interface ExampleObject {
  readonly value: unknown;
  readonly 'x-disabled'?: true;
}

/** Examples by name. */
export interface Examples {
  readonly examples?: Readonly<Record<string, ExampleObject | Reference>>;
}

/** The name of the only example of each parameter and body, with which the API reference opens its forms. */
const EXAMPLE = 'default';

/** The example of a body or response; none without a value. */
export function exampleOf(value: unknown): Examples {
  return value === undefined ? {} : { examples: { [EXAMPLE]: { value } } };
}

/** The example of the first of these errors that has one; it is among the shared ones of the document. */
export function errorExample(codes: readonly ErrorCode[], errors: DocumentExamples['errors']): Examples {
  const code = codes.find((each) => errors[each] !== undefined);
  return code === undefined ? {} : { examples: { [EXAMPLE]: { $ref: `#/components/examples/${code}` } } };
}

/**
 * The example of a parameter: `value`, or the default or the first accepted value of an optional one. An optional one is
 * not selected; without an example, the API reference would take the default or the first value, and send it.
 */
export function parameterExample(
  value: unknown,
  isRequired: boolean,
  { default: standard, enum: values }: JsonSchema,
): Examples {
  if (isRequired) return exampleOf(value);
  const shown: unknown = value ?? standard ?? values?.[0];
  return shown === undefined ? {} : { examples: { [EXAMPLE]: { value: shown, 'x-disabled': true } } };
}
