import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CLIENT_IDLE_MS } from '@fairlead/connect-fast/http-channel';
import { closeOnAbort, ConnectionAgent, openConnection } from './connection.ts';

/** An open connection that serves one request until its response ends. */
export interface ConnectionLease {
  readonly agent: ConnectionAgent;
  /** Whether it had an earlier request. */
  readonly isReused: boolean;
  close(): void;
}

/** The connections to one address. */
export interface Connections {
  /**
   * An idle connection, or else a new one; rejects if it cannot be opened in time. It is closed if `signal` aborts
   * before the end of the response.
   */
  take(signal: AbortSignal): Promise<ConnectionLease>;
  /** Closes the idle connections now, and the others after their responses: later requests get new ones. */
  leave(): void;
}

interface Connection {
  readonly socket: Socket;
  readonly agent: ConnectionAgent;
  idleSince: number;
  /** Releases the connection for its request. */
  release: () => void;
}

/** Idle connections to one address. */
const MAX_IDLE = 100;

/** Connections to the host and port of an http or https address. */
export function createConnections(address: URL): Connections {
  /** In the order of their last use, the latest at the end. */
  const idle: Connection[] = [];
  /** Connections opened since the last `leave`. */
  let current = new WeakSet<Connection>();

  function keep(connection: Connection): boolean {
    connection.release();
    if (!current.has(connection) || idle.length >= MAX_IDLE) return false;
    connection.idleSince = performance.now();
    idle.push(connection);
    return true;
  }

  function forget(connection: Connection): void {
    const place = idle.indexOf(connection);
    if (place >= 0) idle.splice(place, 1);
  }

  async function open(signal: AbortSignal): Promise<Connection> {
    const since = current;
    const socket = await openConnection(address, signal);
    const agent = new ConnectionAgent(socket, () => keep(connection));
    const connection: Connection = { socket, agent, idleSince: 0, release: () => undefined };
    since.add(connection);
    socket.once('close', () => forget(connection));
    return connection;
  }

  /** An idle connection that the server has not closed. */
  async function findIdle(): Promise<Connection | undefined> {
    for (;;) {
      const connection = idle.pop();
      if (connection === undefined) return undefined;
      // Bytes and the end of the stream that have already arrived are read first.
      await nextTurn();
      const { socket, idleSince } = connection;
      // The timer fires late if the process was suspended.
      if (socket.writable && performance.now() - idleSince < CLIENT_IDLE_MS) return connection;
      socket.destroy();
    }
  }

  return {
    async take(signal) {
      const found = await findIdle();
      const connection = found ?? (await open(signal));
      const { socket, agent } = connection;
      connection.release = closeOnAbort(socket, signal);
      signal.throwIfAborted();
      return { agent, isReused: found !== undefined, close: () => void socket.destroy() };
    },
    leave() {
      current = new WeakSet();
      for (const { socket } of idle.splice(0)) socket.destroy();
    },
  };
}
