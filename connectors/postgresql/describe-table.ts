import type { Handler } from '@fairlead/connector-runtime/handler';
import { tableInput } from './call-inputs.ts';
import { withSession } from './session.ts';
import { tableColumns } from './table-columns.ts';

/** Returns the columns of one table or view. */
export const describeTable: Handler = (call) =>
  withSession(call, 'read', async (session) => {
    const { schema, table } = tableInput(call.fields);
    return { schema, name: table, columns: await tableColumns(session, schema, table) };
  });
