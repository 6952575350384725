import type { JsonObject } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { statementInput, textInput } from '../../postgresql/call-inputs.ts';
import { withMysqlSession } from './session.ts';
import type { MysqlSession } from './session.ts';

const TABLES = `
  SELECT table_schema AS \`schema\`, table_name AS \`name\`,
         CASE table_type WHEN 'VIEW' THEN 'view' ELSE 'table' END AS \`type\`
  FROM information_schema.tables
  WHERE table_schema = ?
  ORDER BY 1, 2`;

const COLUMNS = `
  SELECT column_name AS \`name\`, column_type AS \`type\`, is_nullable = 'YES' AS isNullable,
         column_key = 'PRI' AS isPrimaryKey, column_default AS defaultValue
  FROM information_schema.columns
  WHERE table_schema = ? AND table_name = ?
  ORDER BY ordinal_position`;

/** Privileges whose effects no transaction can undo: access to the server's files, and all privileges. */
const PRIVILEGES =
  "SELECT privilege_type FROM information_schema.user_privileges WHERE privilege_type IN ('FILE', 'SUPER')";

/** Handlers for profiles of type mysql, by the names in the manifest. */
export const mysqlHandlers = { listTables, describeTable, runQuery, executeStatement };

function listTables(call: HandlerCall): Promise<JsonObject> {
  return withMysqlSession(call, 'read', async (session) => {
    const { items } = await session.query(TABLES, [textInput(call.fields, 'schema') ?? session.database]);
    return { items };
  });
}

function describeTable(call: HandlerCall): Promise<JsonObject> {
  return withMysqlSession(call, 'read', async (session) => {
    const schema = textInput(call.fields, 'schema') ?? session.database;
    const name = textInput(call.fields, 'table') ?? '';
    const { items } = await session.query(COLUMNS, [schema, name]);
    if (items.length === 0) throw new HandlerError(`There is no table "${name}" in the schema "${schema}".`);
    const columns = items.map((column) => ({
      ...column,
      isNullable: column['isNullable'] === 1,
      isPrimaryKey: column['isPrimaryKey'] === 1,
    }));
    return { schema, name, columns };
  });
}

function runQuery(call: HandlerCall): Promise<JsonObject> {
  return withMysqlSession(call, 'read', async (session) => {
    const { sql: given, params } = statementInput(call.fields);
    const sql = given.trimEnd().replace(/;$/, '');
    await requireQuery(session, sql);
    const { items } = await session.query(sql, params);
    return { items, rowCount: items.length };
  });
}

function executeStatement(call: HandlerCall): Promise<JsonObject> {
  return withMysqlSession(call, 'write', async (session) => {
    const { sql, params } = statementInput(call.fields);
    const { items, rowCount } = await session.query(sql, params);
    return { items, rowCount };
  });
}

/**
 * Throws a HandlerError for anything but a single query. A read-only transaction does not suffice: DROP TABLE ends the transaction and
 * runs. EXISTS accepts only a query without INTO, and a text that closes the parenthesis early is not a valid statement.
 */
async function requireQuery(session: MysqlSession, sql: string): Promise<void> {
  const { items } = await session.query(PRIVILEGES);
  if (items.length > 0) {
    throw new HandlerError(
      'The query needs a database user without the privileges FILE and SUPER. Give the profile a user that may only read.',
    );
  }
  try {
    await session.prepare(`SELECT EXISTS (${sql}\n)`);
  } catch (error) {
    const isSyntax = error instanceof Error && 'code' in error && error.code === 'ER_PARSE_ERROR';
    if (!isSyntax) throw error;
    throw new HandlerError(
      `The tool takes one query: SELECT, VALUES or WITH. The database reported: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}
