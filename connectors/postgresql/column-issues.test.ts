import { expect, it } from 'vitest';
import type { FilterCondition, SortClause } from '@fairlead/connector-runtime/call';
import { columnIssues } from './column-issues.ts';

const filter = (field: string): FilterCondition => ({ field, operator: 'isNull', value: false });
const sort = (field: string): SortClause => ({ field, direction: 'asc' });

it('names exactly the fields that are not columns, by position', () => {
  const selection = {
    filters: [filter('id'), filter('ID'), filter('"id"'), filter('A "column')],
    sorts: [sort('a "column'), sort('id'), sort('ctid')],
  };
  const issue = 'must be one of: id, A "column';
  expect(columnIssues(selection, ['id', 'A "column'])).toEqual([
    { field: 'filters[1].field', issue },
    { field: 'filters[2].field', issue },
    { field: 'sorts[0].field', issue },
    { field: 'sorts[2].field', issue },
  ]);
});

it('lists only the first columns of a wide table, without cutting a name', () => {
  const columns = Array.from({ length: 1600 }, (_, index) => `column_${index}`);
  const [first] = columnIssues({ filters: [filter('nope')], sorts: [] }, columns);
  expect(first?.issue).toMatch(/^must be one of: column_0, (column_\d+, )+…$/);
  expect(first?.issue.length).toBeLessThan(230);
});
