import type { Socket } from 'node:net';
import { Client } from 'pg';
import type { Json } from '@fairlead/connector-model/model';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { queryRows } from './query.ts';
import type { QueryRows } from './query.ts';
import { isTlsRefused, sessionFailure } from './session-failure.ts';
import { databaseSettings } from './settings.ts';
import type { DatabaseSettings } from './settings.ts';

/** One transaction on a connection of its own. */
export interface Session {
  /** Runs one statement, values beside the text. Throws DatabaseError, and HandlerError for too large a result. */
  query(text: string, values?: readonly Json[]): Promise<QueryRows>;
  /** Time that a statement may still take. */
  remainingMs(): number;
}

/**
 * Opens a connection through the guarded egress, runs `use` in a transaction and commits it; any failure, the deadline and
 * a cancellation roll it back. `read`: the database itself refuses changes, and every statement sees the same snapshot.
 */
export async function withSession<T>(
  call: HandlerCall,
  mode: 'read' | 'write',
  use: (session: Session) => Promise<T>,
): Promise<T> {
  // Statements end a little before the call does: then the database says so, and rolls back.
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
  /** An unfinished statement makes this a hard close, which rolls back. */
  readonly close: () => Promise<void>;
}

/** Logs in as the settings say. Throws HandlerError. */
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
  const client = new Client({
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    // As a function: where a plain password is empty, pg would look for one in this process' environment and home.
    password: () => settings.password,
    ssl,
    application_name: 'fairlead',
    stream: () => alreadyOpen(socket),
  });
  // Without a listener the loss of an idle connection would end the process; the next statement reports it.
  client.on('error', () => undefined);
  const close = async (): Promise<void> => {
    await client.end().catch(() => undefined);
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

/** pg opens its stream itself; this one is open already, by way of the guard. */
function alreadyOpen(socket: Socket): Socket {
  const connect = (): Socket => {
    process.nextTick(() => socket.emit('connect'));
    return socket;
  };
  return Object.assign(socket, { connect });
}

/** Local to the transaction, so that a pooler in between stays clean. */
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
