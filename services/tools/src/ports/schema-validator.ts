import type { JsonObject } from '@fairlead/connector-model/json';
import type { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/**
 * Result of validating a value: its issues, at most one per field; `unchecked` if the schema is unusable; `tooCostly` if the check was
 * aborted; `overloaded` if it could not be made now.
 */
export type SchemaCheck =
  | { readonly kind: 'checked'; readonly issues: readonly FieldIssue[] }
  | { readonly kind: 'unchecked' }
  | { readonly kind: 'tooCostly' }
  | { readonly kind: 'overloaded' };

export interface CheckOptions {
  /** Prefix of the issues' fields: `fields` gives `fields.email`. */
  readonly root: string;
  /** Whether the schema is the platform's, proved to be bounded: then the check is synchronous, unless the value is large. */
  readonly isPlatform: boolean;
  /** The account in whose worker other checks run. */
  readonly accountId: string;
  readonly signal: AbortSignal;
  /** Time limit of a check in a worker, including the wait. */
  readonly timeoutMs: number;
}

/** Validates values against JSON Schemas; never rejects because of a schema or value. */
export interface SchemaValidator {
  check(schema: JsonObject, value: LazyObject | UnbuiltOutput, o: CheckOptions): Promise<SchemaCheck>;
}
