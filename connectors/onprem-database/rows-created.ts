import { escapeIdentifier } from 'pg';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { HandlerError, parsedMembers } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { textInput } from '../postgresql/call-inputs.ts';
import { withSession } from '../postgresql/session.ts';
import { OVERLAP, cursorAfter, cursorOf, readPage } from './created-cursor.ts';
import type { CreatedCursor } from './created-cursor.ts';
import { withMysqlSession } from './mysql/session.ts';

const KEY = 'fairlead_key';

type Read = (sql: string, values: readonly Json[]) => Promise<readonly JsonObject[]>;

/** The SQL that differs between the databases. */
interface Dialect {
  name(identifier: string): string;
  asText(column: string): string;
  /** An expression for a value of the column, and its parameter if it needs one. */
  value(text: string): { readonly sql: string; readonly values: readonly Json[] };
  /** Schema of tables without a schema in the configuration; undefined: that of the session. */
  readonly defaultSchema: string | undefined;
}

const POSTGRESQL: Dialect = {
  name: escapeIdentifier,
  asText: (column) => `${column}::text`,
  value: (text) => ({ sql: '$1', values: [text] }),
  defaultSchema: 'public',
};

const MYSQL: Dialect = {
  name: (identifier) => `\`${identifier.replaceAll('`', '``')}\``,
  asText: (column) => `CAST(${column} AS CHAR)`,
  // Compared with whole numbers, a text parameter would become a floating-point number, which is not exact.
  value: (text) => (/^-?\d{1,20}$/.test(text) ? { sql: text, values: [] } : { sql: '?', values: [text] }),
  defaultSchema: undefined,
};

/**
 * Rows of a PostgreSQL table that were created since the cursor, as a PollRead. Without a cursor: no rows, and a cursor for the present.
 */
export function postgresqlRowsCreated(call: HandlerCall): Promise<JsonObject> {
  return rowsCreated(call, POSTGRESQL, (sql, values) =>
    withSession(call, 'read', async (session) => (await session.query(sql, values)).items),
  );
}

/** Rows of a MySQL table, like postgresqlRowsCreated. */
export function mysqlRowsCreated(call: HandlerCall): Promise<JsonObject> {
  return rowsCreated(call, MYSQL, (sql, values) =>
    withMysqlSession(call, 'read', async (session) => (await session.query(sql, values)).items),
  );
}

async function rowsCreated(call: HandlerCall, dialect: Dialect, read: Read): Promise<JsonObject> {
  const cursor = cursorOf(parsedMembers(call.fields)['cursor']);
  return cursor === undefined
    ? { cursor: { ...(await newestCursor(call, dialect, read)) } }
    : { ...(await rowsSince(call, cursor, dialect, read)) };
}

async function newestCursor(call: HandlerCall, dialect: Dialect, read: Read): Promise<CreatedCursor> {
  const { table, column } = placeOf(call, dialect);
  const text = dialect.asText(column);
  const rows = await read(
    `SELECT ${text} AS ${KEY} FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${column} DESC LIMIT ${OVERLAP + 1}`,
    [],
  );
  const keys = rows.map(keyOf).toReversed();
  return cursorAfter(null, keys);
}

async function rowsSince(
  call: HandlerCall,
  cursor: CreatedCursor,
  dialect: Dialect,
  read: Read,
): Promise<JsonObject> {
  const { table, column } = placeOf(call, dialect);
  const since = cursor.since === null ? undefined : dialect.value(cursor.since);
  const condition = since === undefined ? `${column} IS NOT NULL` : `${column} > ${since.sql}`;
  const { rows, limit } = await readPage(
    (limitOfRows) =>
      read(
        `SELECT ${table}.*, ${dialect.asText(column)} AS ${KEY} FROM ${table} WHERE ${condition} ORDER BY ${column} LIMIT ${limitOfRows}`,
        since?.values ?? [],
      ),
    cursor.known.length,
  );
  const known = new Set(cursor.known);
  const timeMs = Date.parse(textInput(call.fields, 'now') ?? '');
  const items = rows
    .filter((row) => !known.has(keyOf(row)))
    .map((row) => ({ key: keyOf(row), timeMs, payload: JSON.stringify(withoutKey(row)) }));
  const next = cursorAfter(cursor.since, rows.map(keyOf));
  return { items, cursor: { ...next }, hasMore: rows.length === limit, gaps: [] };
}

function placeOf(call: HandlerCall, dialect: Dialect): { readonly table: string; readonly column: string } {
  const schema = textInput(call.fields, 'schema') ?? dialect.defaultSchema;
  const name = dialect.name(textInput(call.fields, 'table') ?? '');
  const table = schema === undefined ? name : `${dialect.name(schema)}.${name}`;
  return { table, column: `${table}.${dialect.name(textInput(call.fields, 'column') ?? '')}` };
}

/** The key is the last column; a column of the table with the same name comes before it. */
function keyOf(row: JsonObject): string {
  const key = Object.values(row).at(-1);
  if (typeof key !== 'string')
    throw new HandlerError('The column of the trigger has a value that is no text.');
  return key;
}

function withoutKey(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).slice(0, -1));
}
