import { FILTER_OPERATORS, SORT_DIRECTIONS } from '@fairlead/connector-model/enumerations';
import type { Json } from '@fairlead/connector-model/json';
import type { FilterSupport, SortSupport, ToolDefinition } from '@fairlead/connector-model/model';
import type { FilterOperator, SortDirection } from '@fairlead/connector-model/enumerations';
import { ApiError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** A condition as sent: an unknown operator or absent value is undefined. */
export interface RequestedFilter {
  readonly field: string;
  readonly operator: FilterOperator | undefined;
  readonly value: Json | LazyJson | undefined;
}

/** A sort clause as sent: an unknown direction is undefined. */
export interface RequestedSort {
  readonly field: string;
  readonly direction: SortDirection | undefined;
}

/** Filters, sorts and paging of a call, as sent. */
export interface RequestedQuery {
  readonly filters: readonly RequestedFilter[];
  readonly sorts: readonly RequestedSort[];
  readonly top: number | undefined;
  readonly offset: number | undefined;
}

/** Validated filters, sorts and paging of a call. */
export interface Query {
  readonly filters: readonly {
    readonly field: string;
    readonly operator: FilterOperator;
    readonly value: Json;
  }[];
  readonly sorts: readonly { readonly field: string; readonly direction: SortDirection }[];
  readonly top: number | undefined;
  readonly offset: number | undefined;
}

/** Validated inputs of a call. */
export interface Inputs extends Query {
  /** Without members that the tool does not know. */
  readonly fields: LazyObject;
}

const MAX_TOP = 100;

interface Operand {
  readonly accepts: (value: Json) => boolean;
  readonly issue: string;
}

const SCALAR: Operand = {
  accepts: isScalar,
  issue: 'must be a string, a number or a boolean; for null use the operator isNull',
};
const ORDERED: Operand = {
  accepts: (value) => typeof value === 'string' || typeof value === 'number',
  issue: 'must be a string or a number',
};
const TEXT: Operand = { accepts: (value) => typeof value === 'string', issue: 'must be a string' };

/** The value types of each operator. */
const OPERANDS: Readonly<Record<FilterOperator, Operand>> = {
  eq: SCALAR,
  ne: SCALAR,
  gt: ORDERED,
  gte: ORDERED,
  lt: ORDERED,
  lte: ORDERED,
  in: {
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(isScalar),
    issue: 'must be a non-empty array of strings, numbers or booleans',
  },
  contains: TEXT,
  startsWith: TEXT,
  isNull: { accepts: (value) => typeof value === 'boolean', issue: 'must be a boolean' },
};

/**
 * Checks a query against the tool's capabilities. Returns the query and all issues, at most one per field. Throws INVALID_ENUM_VALUE for an
 * unknown operator or direction, because it is an error for any tool.
 */
export function checkQuery(
  tool: Pick<ToolDefinition, 'filters' | 'sorts' | 'paging'>,
  requested: RequestedQuery,
): { readonly query: Query; readonly issues: readonly FieldIssue[] } {
  const filters = requested.filters.map(({ field, operator, value }, index) => ({
    field,
    operator: operator ?? refuseEnum(`filters[${index}].operator`, FILTER_OPERATORS),
    value: value instanceof LazyJson ? value.parse() : value,
  }));
  const sorts = requested.sorts.map(({ field, direction }, index) => ({
    field,
    direction: direction ?? refuseEnum(`sorts[${index}].direction`, SORT_DIRECTIONS),
  }));
  const issues = [
    ...supportIssues('filters', filters, tool.filters),
    ...filters.flatMap(({ field, operator, value }, index) => {
      const unsupported = operatorIssue(field, operator, tool.filters);
      if (unsupported) return [{ field: `filters[${index}].operator`, issue: unsupported }];
      const issue = valueIssue(operator, value);
      return issue ? [{ field: `filters[${index}].value`, issue }] : [];
    }),
    ...supportIssues('sorts', sorts, tool.sorts),
    ...pagingIssues(tool.paging !== null, requested),
  ];
  return {
    query: {
      filters: filters.map(({ field, operator, value }) => ({ field, operator, value: value ?? null })),
      sorts,
      top: requested.top,
      offset: requested.offset,
    },
    issues,
  };
}

function refuseEnum(field: string, accepted: readonly string[]): never {
  const issue = `must be one of: ${accepted.join(', ')}`;
  throw new ApiError('INVALID_ENUM_VALUE', `${field} ${issue}.`, { details: [{ field, issue }] });
}

function supportIssues(
  noun: 'filters' | 'sorts',
  clauses: readonly { readonly field: string }[],
  support: FilterSupport | SortSupport | null,
): FieldIssue[] {
  if (clauses.length === 0) return [];
  if (!support) return [{ field: noun, issue: `are not supported by this tool` }];
  if (clauses.length > support.max) return [{ field: noun, issue: `must be at most ${support.max}` }];
  return clauses.flatMap(({ field }, index) => {
    const issue = fieldIssue(field, support.fields);
    return issue ? [{ field: `${noun}[${index}].field`, issue }] : [];
  });
}

function fieldIssue(field: string, known: readonly string[]): string | undefined {
  if (field === '') return 'is required';
  if (known.includes('*') || known.includes(field)) return undefined;
  return `must be one of: ${known.join(', ')}`;
}

/** Already reported as an unknown field. */
function operatorIssue(
  field: string,
  operator: FilterOperator,
  support: FilterSupport | null,
): string | undefined {
  const byField = support?.byField ?? {};
  const known = Object.hasOwn(byField, field) ? byField[field] : undefined;
  if (known === undefined || known[operator] !== undefined) return undefined;
  return `must be one of: ${Object.keys(known).join(', ')}`;
}

function valueIssue(operator: FilterOperator, value: Json | undefined): string | undefined {
  if (value === undefined) return 'is required';
  const { accepts, issue } = OPERANDS[operator];
  return accepts(value) ? undefined : issue;
}

function isScalar(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function pagingIssues(isSupported: boolean, { top, offset }: RequestedQuery): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (top !== undefined) {
    if (!isSupported) issues.push({ field: 'top', issue: 'is not supported by this tool' });
    else if (!Number.isInteger(top) || top < 1 || top > MAX_TOP) {
      issues.push({ field: 'top', issue: `must be an integer from 1 to ${MAX_TOP}` });
    }
  }
  if (offset !== undefined) {
    if (!isSupported) issues.push({ field: 'offset', issue: 'is not supported by this tool' });
    else if (!Number.isInteger(offset) || offset < 0) {
      issues.push({ field: 'offset', issue: 'must be an integer of 0 or more' });
    }
  }
  return issues;
}
