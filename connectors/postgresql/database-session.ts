import type { Socket } from 'node:net';
import { Client } from 'pg';
import type { ClientConfig } from 'pg';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import type { PooledSession } from '@fairlead/connector-runtime/sessions/session-pool';
import { GuardedConnection } from './guarded-connection.ts';
import { runTogether } from './round-trip.ts';
import { isTlsRefused, sessionFailure } from './session-failure.ts';
import { databaseSettings } from './settings.ts';
import type { DatabaseSettings } from './settings.ts';

const CLOSE_TIMEOUT_MS = 1000;

/** A login at a database, used by one call at a time. */
export class DatabaseSession implements PooledSession {
  readonly client: Client;
  readonly #socket: Socket;
  readonly #connection: GuardedConnection;
  readonly #lost = new AbortController();

  constructor(client: Client, socket: Socket, connection: GuardedConnection) {
    this.client = client;
    this.#socket = socket;
    this.#connection = connection;
    socket.once('close', () => this.#lost.abort());
    // Without a listener, the loss of an idle connection would end the process; the next statement reports the loss.
    client.on('error', () => socket.destroy());
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Begins a call: its limits count from here, and `signal` ends the session. Returns a function that ends the call. */
  startCall(signal: AbortSignal): () => void {
    const cut = (): void => this.cut();
    signal.addEventListener('abort', cut, { once: true });
    if (signal.aborted) cut();
    this.#connection.startCall();
    return () => signal.removeEventListener('abort', cut);
  }

  /** Ends the session at once; the database rolls back. */
  cut(): void {
    this.#socket.destroy();
  }

  /** Rolls back an open transaction, and discards the session's state: settings, roles, temporary tables, locks, subscriptions. */
  async reset(): Promise<void> {
    await runTogether(this.client, ['ROLLBACK', 'DISCARD ALL']);
    if (this.client.getTransactionStatus() !== 'I') throw new Error('The transaction has not ended.');
    this.#connection.endCall();
  }

  close(): void {
    // Otherwise a server that does not close its end would keep the socket open.
    const timer = setTimeout(() => this.cut(), CLOSE_TIMEOUT_MS);
    void this.client
      .end()
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(timer);
        this.cut();
      });
  }
}

/** Logs in with the settings of the call's connection. Throws HandlerError and EgressError. */
export async function openDatabaseSession(call: HandlerCall): Promise<DatabaseSession> {
  const settings = databaseSettings(call.credential.fields);
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
): Promise<DatabaseSession> {
  const socket = await call.egress.openSocket(settings.host, settings.port, call.signal);
  const connection = new GuardedConnection({ stream: () => alreadyOpen(socket), ssl });
  const config = {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    // A function, because for an empty plain password pg would search this process's environment and home directory.
    password: () => settings.password,
    ssl,
    application_name: 'fairlead',
    connection,
  } satisfies ClientConfig & { readonly connection: GuardedConnection };
  const client = new Client(config);
  const session = new DatabaseSession(client, socket, connection);
  const endLogin = session.startCall(call.signal);
  try {
    await client.connect();
  } catch (error) {
    session.close();
    throw error;
  } finally {
    endLogin();
  }
  forgetPassword(client);
  return session;
}

/** The session needs the password only for its login, but pg would keep it. */
function forgetPassword(client: Client): void {
  // The types of pg omit these parameters.
  const { connectionParameters } = client as unknown as { readonly connectionParameters: object };
  for (const holder of [client, connectionParameters]) Object.assign(holder, { password: null });
}

/** pg opens its stream itself; this one is already open, through the egress guard. */
function alreadyOpen(socket: Socket): Socket {
  const connect = (): Socket => {
    process.nextTick(() => socket.emit('connect'));
    return socket;
  };
  return Object.assign(socket, { connect });
}
