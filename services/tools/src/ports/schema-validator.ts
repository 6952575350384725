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

/** Checks values against JSON Schemas; never throws because of a schema or value. */
export interface SchemaValidator {
  /** `root` is the prefix of the fields of the issues: `fields` results in `fields.email`. */
  check(schema: JsonObject, value: JsonObject, root: string): SchemaCheck;
}
