import { DatabaseError } from 'pg';
import { InputError } from '@fairlead/connector-runtime/handler';
import type { Handler, HandlerCall } from '@fairlead/connector-runtime/handler';
import { textOf } from '@fairlead/connector-runtime/templates';
import { tableInput } from './call-inputs.ts';
import { columnIssues } from './column-issues.ts';
import { countRows, selectRows } from './row-selection.ts';
import type { RowSelection } from './row-selection.ts';
import { withSession } from './session.ts';
import type { Session } from './session.ts';
import { QUERY_CANCELED } from './session-failure.ts';
import { tableColumns } from './table-columns.ts';

const DEFAULT_TOP = 100;
const MAX_TOP = 100;
/** Counting reads every matching row, unlike the page itself; if it takes longer, the count is omitted. */
const COUNT_TIMEOUT_MS = 2000;

/** Returns one page of a table's rows, and the number of matches if it can be counted in time. */
export const listRows: Handler = (call) =>
  withSession(call, 'read', async (session) => {
    const selection = { ...tableInput(call.fields), filters: call.filters, sorts: call.sorts };
    await requireColumns(session, selection);
    const { top, offset } = pageOf(call);
    const { text, values } = selectRows(selection, top, offset);
    const { items } = await session.query(text, values);
    const totalCount = await count(session, selection);
    return { items, ...(totalCount === undefined ? {} : { totalCount }) };
  });

function pageOf(call: HandlerCall): { readonly top: number; readonly offset: number } {
  return { top: Math.min(call.top ?? DEFAULT_TOP, MAX_TOP), offset: call.offset ?? 0 };
}

/** Throws InputError naming every unknown column by position; the database would only name the first. */
async function requireColumns(session: Session, selection: RowSelection): Promise<void> {
  const columns = await tableColumns(session, selection.schema, selection.table);
  const names = columns.map((column) => textOf(column['name'] ?? ''));
  const issues = columnIssues(selection, names);
  if (issues.length > 0) throw new InputError(issues);
}

async function count(session: Session, selection: RowSelection): Promise<number | undefined> {
  const { text, values } = countRows(selection);
  const timeoutMs = Math.max(1, Math.floor(Math.min(COUNT_TIMEOUT_MS, session.remainingMs())));
  await session.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
  try {
    const { items } = await session.query(text, values);
    return Number(items[0]?.['count']);
  } catch (error) {
    if (error instanceof DatabaseError && error.code === QUERY_CANCELED) return undefined;
    throw error;
  }
}
