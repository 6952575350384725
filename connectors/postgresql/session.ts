import type { Socket } from 'node:net';
import { Client } from 'pg';
import type { ClientConfig } from 'pg';
import type { Json } from '@fairlead/connector-model/model';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { GuardedConnection } from './guarded-connection.ts';
import { queryRows } from './query.ts';
import type { QueryRows } from './query.ts';
import { isTlsRefused, sessionFailure } from './session-failure.ts';
import { databaseSettings } from './settings.ts';
import type { DatabaseSettings } from './settings.ts';

const CLOSE_TIMEOUT_MS = 1000;

/** One transaction on its own connection. */
export interface Session {
  /** Runs one statement with separate values. Throws DatabaseError, or HandlerError if the result is too large. */
  query(text: string, values?: readonly Json[]): Promise<QueryRows>;
  /** The time that a statement may still take. */
  remainingMs(): number;
}

/**
 * Opens a connection through the guarded egress, runs `use` in a transaction and commits it; a failure, the deadline or
 * a cancellation rolls it back. `read`: the database itself refuses changes, and every statement sees the same
 * snapshot.
 */
export async function withSession<T>(
  call: HandlerCall,
  mode: 'read' | 'write',
  use: (session: Session) => Promise<T>,
): Promise<T> {
  // Statements time out shortly before the call does, so that the database reports it and rolls back.
  const endsAt = performance.now() + call.timeoutMs - Math.min(1000, call.timeoutMs / 10);
  const remainingMs = (): number => Math.max(1, Math.floor(endsAt - performance.now()));
  const { client, close } = await connect(call, databaseSettings(call.credential.fields));
  try {
    await client.query(openingStatements(mode, remainingMs()));
    const result = await use({ query: (text, values = []) => queryRows(client, text, values), remainingMs });
    await client.query('COMMIT');
    return result;
  } catch (error) {
    throw sessionFailure(error);
  } finally {
    await close();
  }
}

interface Connection {
  readonly client: Client;
  /** Closes abruptly if a statement is unfinished, which rolls back. */
  readonly close: () => Promise<void>;
}

/** Logs in according to the settings. Throws HandlerError. */
async function connect(call: HandlerCall, settings: DatabaseSettings): Promise<Connection> {
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
  settings: DatabaseSettings,
  ssl: DatabaseSettings['tls'],
): Promise<Connection> {
  const socket = await call.egress.openSocket(settings.host, settings.port, call.signal);
  const destroy = (): void => {
    socket.destroy();
  };
  call.signal.addEventListener('abort', destroy, { once: true });
  const config = {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    // As a function: for an empty plain password, pg would search this process's environment and home directory.
    password: () => settings.password,
    ssl,
    application_name: 'fairlead',
    connection: new GuardedConnection({ stream: () => alreadyOpen(socket), ssl }),
  } satisfies ClientConfig & { readonly connection: GuardedConnection };
  const client = new Client(config);
  // Without a listener the loss of an idle connection would end the process; the next statement reports it.
  client.on('error', () => undefined);
  const close = async (): Promise<void> => {
    // A server that does not close its end must not delay the result.
    const timer = setTimeout(destroy, CLOSE_TIMEOUT_MS);
    await client.end().catch(() => undefined);
    clearTimeout(timer);
    call.signal.removeEventListener('abort', destroy);
    socket.destroy();
  };
  try {
    await client.connect();
  } catch (error) {
    await close();
    throw error;
  }
  return { client, close };
}

/** pg opens its stream itself; this one is already open, through the egress guard. */
function alreadyOpen(socket: Socket): Socket {
  const connect = (): Socket => {
    process.nextTick(() => socket.emit('connect'));
    return socket;
  };
  return Object.assign(socket, { connect });
}

/** The settings are local to the transaction, so that a connection pooler in between is not affected. */
function openingStatements(mode: 'read' | 'write', timeoutMs: number): string {
  return [
    mode === 'read' ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN',
    `SET LOCAL statement_timeout = ${timeoutMs}`,
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL DateStyle = 'ISO, YMD'",
    "SET LOCAL IntervalStyle = 'iso_8601'",
    "SET LOCAL bytea_output = 'hex'",
  ].join('; ');
}
