import type { JsonObject } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { knownFields } from '../domain/known-fields.ts';
import { checkQuery } from '../domain/query.ts';
import type { Query, RequestedQuery } from '../domain/query.ts';
import type { Candidate } from '../domain/target.ts';
import type { SchemaCheck, SchemaValidator } from '../ports/schema-validator.ts';

/** What checkInputs needs. */
export interface CheckInputsDeps {
  readonly schemas: SchemaValidator;
}

/** The inputs of a call as the caller sent them. */
export interface RequestedInputs extends RequestedQuery {
  readonly fields: JsonObject;
}

/** The checked inputs of a call. */
export interface Inputs extends Query {
  /** Without the members that the tool does not know. */
  readonly fields: JsonObject;
}

/** Returns the checked inputs; throws VALIDATION_ERROR naming every field, or INVALID_ENUM_VALUE. */
export function checkInputs(
  deps: CheckInputsDeps,
  { definition: tool, isPlatform }: Pick<Candidate, 'definition' | 'isPlatform'>,
  requested: RequestedInputs,
): Inputs {
  const { query, issues: queryIssues } = checkQuery(tool, requested);
  const fields = knownFields(tool.inputSchema, requested.fields);
  const check = deps.schemas.check(tool.inputSchema, fields, { root: 'fields', isPlatform });
  const issues = [...issuesOf(check), ...queryIssues];
  if (issues.length > 0) throw validationError(...issues);
  return { ...query, fields };
}

function issuesOf(check: SchemaCheck): readonly FieldIssue[] {
  if (check.kind === 'checked') return check.issues;
  return check.kind === 'unchecked'
    ? []
    : [{ field: 'fields', issue: 'takes too long to check; send less data' }];
}
