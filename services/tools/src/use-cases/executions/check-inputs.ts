import type { ToolDefinition } from '@fairlead/connector-model/model';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { ExecutionSource } from '../../domain/call-origin.ts';
import { knownFields } from '../../domain/known-fields.ts';
import { checkQuery } from '../../domain/query.ts';
import type { Inputs, RequestedQuery } from '../../domain/query.ts';
import type { Candidate } from '../../domain/target.ts';
import type { CheckOptions, SchemaCheck, SchemaValidator } from '../../ports/schema-validator.ts';

export interface CheckInputsDeps {
  readonly schemas: SchemaValidator;
}

/** Inputs of a call, as sent. */
export interface RequestedInputs extends RequestedQuery {
  readonly fields: LazyObject;
}

/** The parts of a tool needed to check inputs. */
interface CheckedTool extends Pick<Candidate, 'isPlatform'> {
  readonly definition: Pick<ToolDefinition, 'inputSchema' | 'filters' | 'sorts' | 'paging'>;
}

/**
 * Returns the checked inputs. Throws VALIDATION_ERROR naming every field, INVALID_ENUM_VALUE, or RATE_LIMIT_EXCEEDED if
 * they could not be checked in time.
 */
export async function checkInputs(
  deps: CheckInputsDeps,
  { definition: tool, isPlatform }: CheckedTool,
  requested: RequestedInputs,
  {
    source,
    ...o
  }: Pick<CheckOptions, 'accountId' | 'signal' | 'timeoutMs'> & { readonly source: ExecutionSource },
): Promise<Inputs> {
  const { query, issues: queryIssues } = checkQuery(tool, requested);
  const fields = knownFields(tool.inputSchema, requested.fields);
  const check = await deps.schemas.check(tool.inputSchema, fields, { ...o, root: 'fields', isPlatform });
  // For MCP clients, because these arguments have no member `fields`.
  const isMisplaced = source === 'rest' && Object.keys(requested.fields).length === 0;
  const issues = [...issuesOf(check).map((it) => (isMisplaced ? withPlace(it) : it)), ...queryIssues];
  if (issues.length > 0) throw validationError(...issues);
  return { ...query, fields };
}

/** Unknown members of the body beside `fields` are ignored. */
function withPlace({ field, issue }: FieldIssue): FieldIssue {
  return { field, issue: `${issue}; inputs belong in the member "fields", which is empty` };
}

function issuesOf(check: SchemaCheck): readonly FieldIssue[] {
  switch (check.kind) {
    case 'checked':
      return check.issues;
    case 'unchecked':
      return [];
    case 'tooCostly':
      return [{ field: 'fields', issue: 'takes too long to check; send less data' }];
    case 'overloaded':
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        'The inputs could not be checked in time, because other checks did not end. Nothing was executed.',
        { retryAfterSeconds: 1 },
      );
  }
}
