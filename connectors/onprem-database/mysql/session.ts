import type { Socket } from 'node:net';
import { createConnection } from 'mysql2';
import type { Connection } from 'mysql2';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { BoundedRows } from '../../postgresql/bounded-rows.ts';
import { databaseSettings } from '../../postgresql/settings.ts';
import type { DatabaseSettings } from '../../postgresql/settings.ts';
import { columnValue } from './column-values.ts';
import { isTlsRefused, sessionFailure } from './session-failure.ts';

const DEFAULT_PORT = 3306;

/** Rows of a statement, and the number of rows that it returned or affected. */
interface MysqlRows {
  readonly items: readonly JsonObject[];
  readonly rowCount: number;
}

/** One transaction. */
export interface MysqlSession {
  /** Name of the database that the session uses. */
  readonly database: string;
  /** Runs one statement with values for its `?`. Throws HandlerError if the result is too large, and the driver's errors. */
  query(text: string, values?: readonly Json[]): Promise<MysqlRows>;
  /** Has the server check the syntax and the names of a statement without running it. */
  prepare(text: string): Promise<void>;
}

type Mode = 'read' | 'write';

/**
 * Runs `use` in a transaction of a session of its own; a failure, the deadline or a cancellation rolls it back. `write`: it is
 * committed. `read`: it is rolled back after the call, and the server refuses changes of rows, but not those of the schema.
 */
export async function withMysqlSession<T>(
  call: HandlerCall,
  mode: Mode,
  use: (session: MysqlSession) => Promise<T>,
): Promise<T> {
  // Statements time out shortly before the call does, so that the server reports it and rolls back.
  const endsAt = performance.now() + call.timeoutMs - Math.min(1000, call.timeoutMs / 10);
  const settings = databaseSettings(call.credential.fields, DEFAULT_PORT);
  const login = await open(call, settings);
  const cut = (): void => void login.socket.destroy();
  call.signal.addEventListener('abort', cut, { once: true });
  try {
    if (call.signal.aborted) cut();
    await call.beforeSend?.(false);
    await run(login, sessionSettings(Math.max(1, Math.floor(endsAt - performance.now()))));
    await run(login, mode === 'read' ? 'START TRANSACTION READ ONLY' : 'START TRANSACTION');
    const result = await use({
      database: settings.database,
      query: (text, values) => run(login, text, values),
      prepare: (text) => prepare(login, text),
    });
    if (mode === 'write') await run(login, 'COMMIT');
    return result;
  } catch (error) {
    throw sessionFailure(error);
  } finally {
    call.signal.removeEventListener('abort', cut);
    cut();
  }
}

/** A login, and the socket to the server: the driver reports its end to every statement, but not that of `Connection.destroy`. */
interface Login {
  readonly connection: Connection;
  readonly socket: Socket;
}

async function open(call: HandlerCall, settings: DatabaseSettings): Promise<Login> {
  try {
    return await logIn(call, settings, settings.tls);
  } catch (error) {
    if (!settings.isTlsOptional || !isTlsRefused(error)) throw sessionFailure(error);
  }
  try {
    return await logIn(call, settings, false);
  } catch (error) {
    throw sessionFailure(error);
  }
}

async function logIn(
  call: HandlerCall,
  { host, port, user, password, database }: DatabaseSettings,
  tls: DatabaseSettings['tls'],
): Promise<Login> {
  const isVerified = tls !== false && tls.rejectUnauthorized === true;
  const socket = await call.egress.openSocket(host, port, call.signal);
  const cut = (): void => void socket.destroy();
  call.signal.addEventListener('abort', cut, { once: true });
  try {
    const connection = createConnection({
      host,
      port,
      user,
      password,
      database,
      stream: socket,
      ...(tls === false ? {} : { ssl: { rejectUnauthorized: isVerified, verifyIdentity: isVerified } }),
      // The parsers that it would generate are source code with names from the server in it.
      disableEval: true,
      flags: ['-LOCAL_FILES', '-MULTI_STATEMENTS'],
      rowsAsArray: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      dateStrings: true,
      connectTimeout: call.timeoutMs,
    });
    // Without a listener the loss of the connection would end the process; the statement at work reports it.
    connection.on('error', cut);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    connection.connect((error) => (error === null ? resolve() : reject(error)));
    await promise;
    return { connection, socket };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    call.signal.removeEventListener('abort', cut);
  }
}

/** MariaDB and MySQL have different settings for the time that a statement may take, each in comments that only it executes. */
function sessionSettings(timeoutMs: number): string {
  return `SET SESSION time_zone = '+00:00' /*M!100100 , max_statement_time = ${timeoutMs / 1000} */ /*!50708 , max_execution_time = ${timeoutMs} */`;
}

/** Runs one statement, as a prepared one if it has values. */
function run({ connection, socket }: Login, sql: string, values: readonly Json[] = []): Promise<MysqlRows> {
  const { promise, resolve, reject } = Promise.withResolvers<MysqlRows>();
  const rows = new BoundedRows();
  let affected: number | undefined;
  let types: readonly ColumnType[] = [];
  const command =
    values.length === 0
      ? connection.query({ sql, rowsAsArray: true })
      : connection.execute({ sql, values: values.map(parameter), rowsAsArray: true });
  command.on('error', reject);
  command.on('fields', (fields: readonly ColumnType[] | undefined) => {
    if (fields === undefined) return;
    types = fields;
    rows.columns(fields.map(({ name }) => name));
  });
  command.on('result', (row: unknown) => {
    if (!Array.isArray(row)) {
      affected = affectedRows(row);
      return;
    }
    try {
      rows.row((index) => columnValue(row[index], types[index]?.columnType));
    } catch (error) {
      reject(error);
      socket.destroy();
    }
  });
  command.on('end', () => resolve({ items: rows.items, rowCount: affected ?? rows.items.length }));
  return promise;
}

/** The part of the driver's column definitions that is read here. */
interface ColumnType {
  readonly name: string;
  readonly columnType?: number;
}

function affectedRows(result: unknown): number {
  return typeof result === 'object' && result !== null && 'affectedRows' in result
    ? Number(result.affectedRows)
    : 0;
}

function prepare({ connection }: Login, sql: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  connection.prepare(sql, (error, statement) => {
    if (error !== null) return reject(error);
    statement.close();
    resolve();
  });
  return promise;
}

/** A value for a placeholder. Lists and objects are JSON text; a whole number is sent as one, for LIMIT. */
function parameter(value: Json): string | number | bigint | boolean | null {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}
