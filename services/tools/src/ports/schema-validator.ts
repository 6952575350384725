import type { JsonObject } from '@fairlead/connector-model/model';
import type { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/**
 * The result of checking a value against a schema: its issues, one per field; `unchecked` if the schema cannot be used;
 * `tooCostly` if the check was stopped; `overloaded` if it could not be made now.
 */
export type SchemaCheck =
  | { readonly kind: 'checked'; readonly issues: readonly FieldIssue[] }
  | { readonly kind: 'unchecked' }
  | { readonly kind: 'tooCostly' }
  | { readonly kind: 'overloaded' };

export interface CheckOptions {
  /** The prefix of the fields of the issues: `fields` results in `fields.email`. */
  readonly root: string;
  /** Whether the schema is the platform's, proved to be bounded: it runs in place, unless the value is large. */
  readonly isPlatform: boolean;
  /** The account whose schema it is otherwise, and in whose worker what is not checked in place runs. */
  readonly accountId: string;
  readonly signal: AbortSignal;
  /** How long a check in a worker may take, its wait included. */
  readonly timeoutMs: number;
}

/** Checks values against JSON Schemas; never rejects because of a schema or value. */
export interface SchemaValidator {
  check(schema: JsonObject, value: LazyObject | UnbuiltOutput, o: CheckOptions): Promise<SchemaCheck>;
}
