import { escapeIdentifier } from 'pg';
import type { Json } from '@fairlead/connector-model/json';
import type { FilterCondition, SortClause } from '@fairlead/connector-runtime/call';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { isArray, textOf } from '@fairlead/connector-runtime/templates';

/** A statement and the values of its placeholders. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Json[];
}

/** The table, and the conditions for its rows. */
export interface RowSelection {
  readonly schema: string;
  readonly table: string;
  readonly filters: readonly FilterCondition[];
  readonly sorts: readonly SortClause[];
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Selects one page of rows. Names are quoted, values are parameters. */
export function selectRows(selection: RowSelection, top: number, offset: number): Statement {
  const { text, values } = conditions(selection.filters);
  const order = selection.sorts.map(
    ({ field, direction }) => `${escapeIdentifier(field)} ${direction === 'desc' ? 'DESC' : 'ASC'}`,
  );
  const orderBy = order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`;
  return {
    text: `SELECT * FROM ${tableName(selection)}${text}${orderBy} LIMIT ${top} OFFSET ${offset}`,
    values,
  };
}

/** Counts the matching rows over all pages, as `count`. */
export function countRows(selection: RowSelection): Statement {
  const { text, values } = conditions(selection.filters);
  return { text: `SELECT count(*) AS "count" FROM ${tableName(selection)}${text}`, values };
}

/** The quoted name of a table in its schema. */
function tableName({ schema, table }: { readonly schema: string; readonly table: string }): string {
  return `${escapeIdentifier(schema)}.${escapeIdentifier(table)}`;
}

function conditions(filters: readonly FilterCondition[]): Statement {
  const values: Json[] = [];
  const bind = (value: Json): string => {
    values.push(value);
    return `$${values.length}`;
  };
  const terms = filters.map((filter) => condition(filter, bind));
  return { text: terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`, values };
}

/** Comparisons with null have no result in SQL. Here `eq null` means `isNull`, and `ne` is true if the column is null. */
function condition({ field, operator, value }: FilterCondition, bind: (value: Json) => string): string {
  const column = escapeIdentifier(field);
  switch (operator) {
    case 'eq':
      return value === null ? `${column} IS NULL` : `${column} = ${bind(scalar(value))}`;
    case 'ne':
      return value === null ? `${column} IS NOT NULL` : `${column} IS DISTINCT FROM ${bind(scalar(value))}`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return `${column} ${COMPARISONS[operator]} ${bind(scalar(value))}`;
    case 'in':
      if (!isArray(value)) throw new HandlerError(`The filter on ${field} needs a list of values.`);
      return `${column} = ANY(${bind(value.map(scalar))})`;
    case 'contains':
      return `${column}::text LIKE ${bind(`%${likeText(value)}%`)}`;
    case 'startsWith':
      return `${column}::text LIKE ${bind(`${likeText(value)}%`)}`;
    case 'isNull':
      return value === false ? `${column} IS NOT NULL` : `${column} IS NULL`;
  }
}

/** Escapes a text so that, as a LIKE pattern, it matches only itself. */
function likeText(value: Json): string {
  return textOf(value).replaceAll(/[\\%_]/g, (character) => `\\${character}`);
}

/** Lists and objects are sent as JSON text, for json columns. */
function scalar(value: Json): Json {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
