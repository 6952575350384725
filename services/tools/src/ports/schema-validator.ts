import type { JsonObject } from '@fairlead/connector-model/model';
import type { FieldIssue } from '@fairlead/errors/api-error';

/**
 * The result of checking a value against a schema: its issues, one per field; `unchecked` if the schema cannot be used;
 * `tooCostly` if the check was stopped.
 */
export type SchemaCheck =
  | { readonly kind: 'checked'; readonly issues: readonly FieldIssue[] }
  | { readonly kind: 'unchecked' }
  | { readonly kind: 'tooCostly' };

/** What a check is for. */
export interface CheckOptions {
  /** The prefix of the fields of the issues: `fields` results in `fields.email`. */
  readonly root: string;
  /** Whether the schema is the platform's, proved to be bounded: it runs without a time limit. */
  readonly isPlatform: boolean;
}

/** Checks values against JSON Schemas; never throws because of a schema or value. */
export interface SchemaValidator {
  check(schema: JsonObject, value: JsonObject, o: CheckOptions): SchemaCheck;
}
