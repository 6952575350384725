import type { InputIssue } from '@fairlead/connector-runtime/call';
import { cutText } from '@fairlead/connector-runtime/cut-text';
import type { RowSelection } from './row-selection.ts';

/**
 * Limits the columns that an issue lists: a table may have 1600, every wrong field has an issue, and headers carry them
 * all.
 */
const MAX_LISTED_LENGTH = 200;

/** An issue for each filter and sort on a field that is not a column, in their order. */
export function columnIssues(
  { filters, sorts }: Pick<RowSelection, 'filters' | 'sorts'>,
  columns: readonly string[],
): InputIssue[] {
  const issue = `must be one of: ${listed(columns)}`;
  const issuesOf = (noun: string, clauses: readonly { readonly field: string }[]): InputIssue[] =>
    clauses.flatMap(({ field }, index) =>
      columns.includes(field) ? [] : [{ field: `${noun}[${index}].field`, issue }],
    );
  return [...issuesOf('filters', filters), ...issuesOf('sorts', sorts)];
}

/** The names; only the first of them if there are many. */
function listed(names: readonly string[]): string {
  const text = names.join(', ');
  if (text.length <= MAX_LISTED_LENGTH) return text;
  return `${cutText(text, MAX_LISTED_LENGTH).replace(/,[^,]*$/, '')}, …`;
}
