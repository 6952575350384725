import type { Handler } from '@fairlead/connector-runtime/handler';
import { statementInput } from './call-inputs.ts';
import { withSession } from './session.ts';

/** One statement that may change data: all of it, or nothing when the call fails. */
export const executeStatement: Handler = (call) =>
  withSession(call, 'write', async (session) => {
    const { sql, params } = statementInput(call.fields);
    const { items, rowCount } = await session.query(sql, params);
    return { items, rowCount };
  });
