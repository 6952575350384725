import type { Filter, ListQuery } from '../domain/list-query.ts';

/** A statement's text and the values of its parameters, in order. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** The `WHERE` clause for a workspace and filters. Field names become part of the text, so they must come from a record type. */
export function whereClause(workspaceId: string, filters: readonly Filter[]): Statement {
  const conditions: Statement[] = [
    { sql: 'workspaceId = ?', values: [workspaceId] },
    ...filters.map(condition),
  ];
  return {
    sql: `WHERE ${conditions.map((one) => one.sql).join(' AND ')}`,
    values: conditions.flatMap((one) => one.values),
  };
}

/** The `ORDER BY` clause: the sort clauses in order, then newest first. */
export function orderClause(sorts: ListQuery['sorts']): string {
  const terms = sorts.map((sort) => `"${sort.field}" ${sort.direction === 'asc' ? 'ASC' : 'DESC'}`);
  return `ORDER BY ${[...terms, 'seq DESC'].join(', ')}`;
}

const comparisons = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function condition(filter: Filter): Statement {
  const column = `"${filter.field}"`;
  switch (filter.operator) {
    case 'ne':
      // A missing value counts as different from every value; SQL's <> would omit such rows.
      return { sql: `${column} IS NOT ?`, values: [filter.value] };
    case 'in':
      return { sql: `${column} IN (${filter.value.map(() => '?').join(', ')})`, values: filter.value };
    case 'contains':
      // Not LIKE, because it ignores case and % and _ are special.
      return { sql: `instr(${column}, ?) > 0`, values: [filter.value] };
    case 'startsWith':
      return { sql: `substr(${column}, 1, length(?)) = ?`, values: [filter.value, filter.value] };
    case 'isNull':
      return { sql: `${column} IS ${filter.value ? '' : 'NOT '}NULL`, values: [] };
    default:
      return { sql: `${column} ${comparisons[filter.operator]} ?`, values: [filter.value] };
  }
}
