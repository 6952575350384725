import type { Handler } from '@fairlead/connector-runtime/handler';
import { describeTable } from './describe-table.ts';
import { executeStatement } from './execute-statement.ts';
import { listRows } from './list-rows.ts';
import { listTables } from './list-tables.ts';
import { runQuery } from './run-query.ts';
import { testConnection } from './test-connection.ts';

/** The handlers that the manifest of `postgresql` names. */
export const handlers = {
  testConnection,
  listTables,
  describeTable,
  listRows,
  runQuery,
  executeStatement,
} satisfies Readonly<Record<string, Handler>>;
