import type { FieldKind, FieldValue, RecordType } from './record-types.ts';
import { invalid } from './failure.ts';
import type { FieldProblem } from './failure.ts';

/** One condition; conditions on a list must all match. Text is literal and case-sensitive. */
export type Filter =
  | { readonly field: string; readonly operator: ComparisonOperator; readonly value: string | number }
  | { readonly field: string; readonly operator: 'contains' | 'startsWith'; readonly value: string }
  | { readonly field: string; readonly operator: 'in'; readonly value: readonly (string | number)[] }
  | { readonly field: string; readonly operator: 'isNull'; readonly value: boolean };

type ComparisonOperator = (typeof comparisonOperators)[number];

/** One sort clause; equal records are ordered newest first. */
export interface Sort {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** A request for one page of a list. */
export interface ListQuery {
  readonly top: number;
  readonly offset: number;
  readonly filters: readonly Filter[];
  readonly sorts: readonly Sort[];
}

const MAX_TOP = 100;
const MAX_FILTERS = 5;
const MAX_SORTS = 2;
const MAX_IN_VALUES = 100;

const comparisonOperators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const;
const operatorNames = [...comparisonOperators, 'in', 'contains', 'startsWith', 'isNull'].join(', ');

/**
 * Reads `top`, `offset`, repeated `filter=<field>:<operator>:<JSON value>` and repeated `sort=<field>:<asc|desc>`;
 * throws a 400 `Failure` that lists every problem, an unknown parameter among them.
 */
export function parseListQuery(type: RecordType, parameters: URLSearchParams): ListQuery {
  const problems: FieldProblem[] = [];
  const known = new Set(['top', 'offset', 'filter', 'sort']);
  for (const name of new Set(parameters.keys())) {
    if (!known.has(name))
      problems.push({ field: name, message: `unknown parameter, expected ${[...known].join(', ')}` });
  }
  const query: ListQuery = {
    top: parseInteger(parameters, 'top', { min: 1, max: MAX_TOP, absent: MAX_TOP }, problems),
    offset: parseInteger(parameters, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, absent: 0 }, problems),
    filters: parseEach(parameters.getAll('filter'), 'filter', MAX_FILTERS, problems, (text) =>
      parseFilter(type, text),
    ),
    sorts: parseEach(parameters.getAll('sort'), 'sort', MAX_SORTS, problems, (text) => parseSort(type, text)),
  };
  if (problems.length > 0) throw invalid(problems);
  return query;
}

function parseInteger(
  parameters: URLSearchParams,
  name: string,
  range: { min: number; max: number; absent: number },
  problems: FieldProblem[],
): number {
  const [text, ...more] = parameters.getAll(name);
  if (text === undefined) return range.absent;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (more.length > 0) {
    problems.push({ field: name, message: 'given more than once' });
  } else if (!(value >= range.min && value <= range.max)) {
    const upper = range.max === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${range.max}`;
    problems.push({ field: name, message: `expected an integer, ${range.min} ${upper}` });
  }
  return value;
}

function parseEach<T>(
  texts: readonly string[],
  name: string,
  max: number,
  problems: FieldProblem[],
  parse: (text: string) => T | string,
): T[] {
  if (texts.length > max) {
    problems.push({ field: name, message: `at most ${max} are supported, ${texts.length} were given` });
    return [];
  }
  return texts.flatMap((text, index) => {
    const parsed = parse(text);
    if (typeof parsed !== 'string') return [parsed];
    problems.push({ field: `${name}[${index}]`, message: parsed });
    return [];
  });
}

/** The parsed filter, or the problem of its text. */
function parseFilter(type: RecordType, text: string): Filter | string {
  const parts = /^(?<field>[^:]+):(?<operator>[^:]+):(?<json>.+)$/s.exec(text)?.groups;
  if (parts?.['field'] === undefined || parts['operator'] === undefined || parts['json'] === undefined) {
    return 'expected <field>:<operator>:<JSON value>, like company:eq:"Initech"';
  }
  const { field, operator } = { field: parts['field'], operator: parts['operator'] };
  const kind = kindOf(type, field);
  if (kind === undefined) return unknownField(type, field);
  let value: unknown;
  try {
    value = JSON.parse(parts['json']);
  } catch {
    return `the value is not JSON (text needs quotes): ${parts['json']}`;
  }
  return toFilter(field, kind, operator, value);
}

function toFilter(field: string, kind: FieldKind, operator: string, value: unknown): Filter | string {
  if (isComparison(operator)) {
    const typed = toFieldValue(kind, value);
    return typed === undefined
      ? `'${field}' is compared with ${expected[kind]}`
      : { field, operator, value: typed };
  }
  switch (operator) {
    case 'contains':
    case 'startsWith':
      if (kind !== 'text') return `'${operator}' works on text, and '${field}' is a ${kind}`;
      return typeof value === 'string' ? { field, operator, value } : `'${field}' is compared with text`;
    case 'in': {
      const wrong = `'in' takes a list of 1 to ${MAX_IN_VALUES} values, each ${expected[kind]}`;
      if (!Array.isArray(value) || value.length === 0 || value.length > MAX_IN_VALUES) return wrong;
      const values = value.map((entry) => toFieldValue(kind, entry)).filter((entry) => entry !== undefined);
      return values.length === value.length ? { field, operator, value: values } : wrong;
    }
    case 'isNull':
      return typeof value === 'boolean' ? { field, operator, value } : `'isNull' takes true or false`;
    default:
      return `unknown operator '${operator}', expected one of ${operatorNames}`;
  }
}

const expected: Readonly<Record<FieldKind, string>> = {
  text: 'text',
  number: 'a number',
  time: 'an ISO 8601 time, like "2026-01-31T09:00:00Z"',
};

/** The value in the field's stored form; undefined if its type is wrong. */
function toFieldValue(kind: FieldKind, value: unknown): Exclude<FieldValue, null> | undefined {
  if (kind === 'number') return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  return kind === 'text' ? value : toTime(value);
}

function toTime(text: string): string | undefined {
  // Date.parse alone accepts nearly any text.
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** The parsed sort clause, or the problem of its text. */
function parseSort(type: RecordType, text: string): Sort | string {
  const [field = '', direction, ...rest] = text.split(':');
  if ((direction !== 'asc' && direction !== 'desc') || rest.length > 0) {
    return 'expected <field>:asc or <field>:desc';
  }
  return kindOf(type, field) === undefined ? unknownField(type, field) : { field, direction };
}

function kindOf(type: RecordType, field: string): FieldKind | undefined {
  return Object.hasOwn(type.fields, field) ? type.fields[field] : undefined;
}

function unknownField(type: RecordType, field: string): string {
  return `${type.path} have no field '${field}', expected one of ${Object.keys(type.fields).join(', ')}`;
}

function isComparison(operator: string): operator is ComparisonOperator {
  return comparisonOperators.some((known) => known === operator);
}
