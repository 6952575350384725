import type { Handler } from '@fairlead/connector-runtime/handler';
import { statementInput } from './call-inputs.ts';
import { withSession } from './session.ts';

/** Returns the rows of one query, which the database runs read-only. */
export const runQuery: Handler = (call) =>
  withSession(call, 'read', async (session) => {
    const { sql, params } = statementInput(call.fields);
    const { items } = await session.query(sql, params);
    return { items, rowCount: items.length };
  });
