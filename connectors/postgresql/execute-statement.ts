import type { Handler } from '@fairlead/connector-runtime/handler';
import { statementInput } from './call-inputs.ts';
import { withSession } from './session.ts';

/** Executes one statement that may change data; if the call fails, nothing is changed. */
export const executeStatement: Handler = (call) =>
  withSession(call, 'write', async (session) => {
    const { sql, params } = statementInput(call.fields);
    const { items, rowCount } = await session.query(sql, params);
    return { items, rowCount };
  });
