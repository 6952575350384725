import type { Handler } from '@fairlead/connector-runtime/handler';
import { statementInput } from './call-inputs.ts';
import { guardedFailure, queryGuards } from './query-guards.ts';
import { withSession } from './session.ts';

/** Returns the rows of one query. The database runs it read-only and refuses every other statement. */
export const runQuery: Handler = (call) =>
  withSession(call, 'read', async (session) => {
    const { sql, params } = statementInput(call.fields);
    const { items } = await session.query(sql, params, queryGuards(sql)).catch((error: unknown) => {
      throw guardedFailure(error);
    });
    return { items, rowCount: items.length };
  });
