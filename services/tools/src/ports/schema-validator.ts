import type { JsonObject } from '@fairlead/connector-model/model';
import type { FieldIssue } from '@fairlead/errors/api-error';

/**
 * What a schema says about a value: its issues, one per field; `unchecked` where the schema cannot be used; `tooCostly` where
 * the check was stopped.
 */
export type SchemaCheck =
  | { readonly kind: 'checked'; readonly issues: readonly FieldIssue[] }
  | { readonly kind: 'unchecked' }
  | { readonly kind: 'tooCostly' };

/** Checks values against JSON Schemas; never throws for what schema or value hold. */
export interface SchemaValidator {
  /** `root` begins the fields of the issues: `fields` gives `fields.email`. */
  check(schema: JsonObject, value: JsonObject, root: string): SchemaCheck;
}
