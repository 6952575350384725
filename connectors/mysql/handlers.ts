import type { Handler } from '@fairlead/connector-runtime/handler';
import { mysqlHandlers } from '../onprem-database/mysql/handlers.ts';
import { withMysqlSession } from '../onprem-database/mysql/session.ts';
import { mysqlRowsCreated } from '../onprem-database/rows-created.ts';
import { deleteRows, insertRows, listRows, updateRows } from './rows.ts';

/** Logs in and runs no query: a successful login proves the credential. */
const testConnection: Handler = (call) => withMysqlSession(call, 'read', async () => ({}));

/** The handlers that the manifest of `mysql` names. */
export const handlers: Readonly<Record<string, Handler>> = {
  ...mysqlHandlers,
  listRows,
  insertRows,
  updateRows,
  deleteRows,
  rowsCreated: mysqlRowsCreated,
  testConnection,
};
