import type { InputIssue } from '@fairlead/connector-runtime/call';
import { cutText } from '@fairlead/connector-runtime/cut-text';
import type { RowSelection } from './row-selection.ts';

/** Maximum number of columns that an issue lists: a table may have 1 600, every wrong field has an issue, and headers carry all issues. */
const MAX_LISTED_LENGTH = 200;

/** Issues for the filters and sorts on unknown columns, in order. */
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

/** The names as text; only the first ones if there are many. */
function listed(names: readonly string[]): string {
  const text = names.join(', ');
  if (text.length <= MAX_LISTED_LENGTH) return text;
  return `${cutText(text, MAX_LISTED_LENGTH).replace(/,[^,]*$/, '')}, …`;
}
