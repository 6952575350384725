import type { Socket } from 'node:net';
import { createConnection } from 'mysql2';
import type { Connection } from 'mysql2';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { StaleSessionError, withPooledSession } from '@fairlead/connector-runtime/sessions/session-pool';
import type { PooledSession, SessionKind } from '@fairlead/connector-runtime/sessions/session-pool';
import { BoundedRows } from '../../postgresql/bounded-rows.ts';
import { REUSE_LIMIT_MS, statementTime } from '../../postgresql/session-time.ts';
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

const SESSIONS: SessionKind = { name: 'mysql', idleMs: 30_000, idlePerConnection: 5 };

/**
 * Statements after which the server can reset the session to its initial state. A reset keeps the database and the role, which other
 * statements may have changed.
 */
const LEAVES_NOTHING = /^\s*(?:insert|update|delete|replace)\b/i;

/**
 * Runs `use` in a transaction, in a kept session of the call's connection or else in a new one. A failure, the deadline or a cancellation
 * rolls it back. `write`: it is committed. `read`: it is rolled back after the call, and the server refuses changes of rows, but not of the
 * schema. If a kept session is found dead before the first statement of `use`, a new one takes its place.
 */
export async function withMysqlSession<T>(
  call: HandlerCall,
  mode: Mode,
  use: (session: MysqlSession) => Promise<T>,
): Promise<T> {
  const remainingMs = statementTime(call);
  const settings = databaseSettings(call.credential.fields, DEFAULT_PORT);
  return withPooledSession(call.sessions, {
    kind: SESSIONS,
    key: call.sessionKey,
    signal: call.signal,
    open: () => open(call, settings),
    work: async (login, isReused) => {
      const cut = (): void => login.close();
      call.signal.addEventListener('abort', cut, { once: true });
      try {
        if (call.signal.aborted) cut();
        await call.beforeSend?.(isReused);
        await begin(login, { mode, isReused, remainingMs });
        const result = await use({
          database: settings.database,
          query: (text, values) => {
            if (mode === 'write' && !LEAVES_NOTHING.test(text)) login.isUnclean = true;
            return run(login, text, values);
          },
          prepare: (text) => prepare(login, text),
        });
        if (mode === 'write') await run(login, 'COMMIT');
        return result;
      } catch (error) {
        if (error instanceof StaleSessionError && !call.signal.aborted) throw error;
        throw sessionFailure(error instanceof StaleSessionError ? error.cause : error);
      } finally {
        call.signal.removeEventListener('abort', cut);
      }
    },
  });
}

/** Begins a transaction. Throws StaleSessionError if a reused session does not begin it in time. */
async function begin(
  login: Login,
  o: { readonly mode: Mode; readonly isReused: boolean; readonly remainingMs: () => number },
): Promise<void> {
  const limitMs = Math.min(REUSE_LIMIT_MS, o.remainingMs() / 4);
  const timer = o.isReused ? setTimeout(() => login.close(), limitMs) : undefined;
  try {
    await run(login, sessionSettings(o.remainingMs()));
    await run(login, o.mode === 'read' ? 'START TRANSACTION READ ONLY' : 'START TRANSACTION');
  } catch (error) {
    throw o.isReused ? new StaleSessionError('', { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** A login at a server, used by one call at a time. */
class Login implements PooledSession {
  readonly connection: Connection;
  /** The socket to the server. The driver reports the end of the socket to every statement, but not the end by `Connection.destroy`. */
  readonly socket: Socket;
  /** Whether a statement may have left state that a reset keeps. */
  isUnclean = false;
  readonly #lost = new AbortController();

  constructor(connection: Connection, socket: Socket) {
    this.connection = connection;
    this.socket = socket;
    socket.once('close', () => this.#lost.abort());
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Rolls back an open transaction, and discards settings, variables, temporary tables, locks and prepared statements. */
  async reset(): Promise<void> {
    if (this.isUnclean) throw new Error('The session has more than a reset discards.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.connection.reset((error) => (error ? reject(error) : resolve()));
    await untilLost(this.socket, promise);
  }

  close(): void {
    this.socket.destroy();
  }
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
      // Otherwise the driver would generate and run source code that contains names from the server.
      disableEval: true,
      flags: ['-LOCAL_FILES', '-MULTI_STATEMENTS'],
      rowsAsArray: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      dateStrings: true,
      connectTimeout: call.timeoutMs,
    });
    // Without a listener, the loss of the connection would end the process; the running statement reports the loss.
    connection.on('error', cut);
    guardParser(connection, socket);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    connection.connect((error) => (error === null ? resolve() : reject(error)));
    await untilLost(socket, promise);
    return new Login(connection, socket);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    call.signal.removeEventListener('abort', cut);
  }
}

/** MariaDB and MySQL have different settings for a statement's time limit. Each is in a comment that only that server executes. */
function sessionSettings(timeoutMs: number): string {
  return `SET SESSION time_zone = '+00:00' /*M!100100 , max_statement_time = ${timeoutMs / 1000} */ /*!50708 , max_execution_time = ${timeoutMs} */`;
}

/** Runs one statement; as a prepared statement if it has values. */
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
  return untilLost(socket, promise);
}

/**
 * Settles like `outcome`, or rejects when the connection is lost: the driver does not report every loss, for example not one between two
 * packets.
 */
async function untilLost<T>(socket: Socket, outcome: Promise<T>): Promise<T> {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  const onClose = (): void => {
    // If the driver reports an error for the same loss, that error is more specific.
    setImmediate(() => reject(socket.errored ?? new HandlerError('The database closed the connection.')));
  };
  socket.once('close', onClose);
  if (socket.destroyed) onClose();
  try {
    return await Promise.race([outcome, lost]);
  } finally {
    socket.off('close', onClose);
    lost.catch(() => undefined);
  }
}

/** The parts of mysql2's connection that its types leave out. */
interface Parsing {
  readonly sequenceId: number;
  readonly packetParser: { execute(chunk: Buffer): void };
  handlePacket(packet?: { readonly sequenceId: number }): void;
}

/**
 * Destroys the connection if the driver's parser or a listener throws. Otherwise the exception would occur in a listener of the socket and
 * end the process. Packets out of order count as such an error, because the driver would write each of them to the error output.
 */
function guardParser(connection: Connection, socket: Socket): void {
  // The types of mysql2 omit these members.
  const parsing = connection as unknown as Parsing;
  const { packetParser } = parsing;
  const execute = packetParser.execute.bind(packetParser);
  const handlePacket = parsing.handlePacket.bind(parsing);
  parsing.handlePacket = (packet) => {
    if (packet !== undefined && packet.sequenceId !== parsing.sequenceId)
      throw new Error('A packet is out of order.');
    handlePacket(packet);
  };
  packetParser.execute = (chunk) => {
    if (socket.destroyed) return;
    try {
      execute(chunk);
    } catch (error) {
      socket.destroy(new HandlerError('The server does not follow the MySQL protocol.', { cause: error }));
    }
  };
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

function prepare({ connection, socket }: Login, sql: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  connection.prepare(sql, (error, statement) => {
    if (error !== null) return reject(error);
    statement.close();
    resolve();
  });
  return untilLost(socket, promise);
}

/** A value for a placeholder. Lists and objects are JSON text; whole numbers are sent as integers, for LIMIT. */
function parameter(value: Json): string | number | bigint | boolean | null {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}
