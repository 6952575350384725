import { ChannelError } from './channel-error.ts';
import { HttpConnection } from './http-connection.ts';
import type { HttpAnswer, HttpCall } from './http-connection.ts';

/** Pooled keep-alive connections to one address. */
export interface HttpChannel {
  /**
   * Sends a request. Rejects with a ChannelError if no complete response arrived, with RESOURCE_EXHAUSTED if the
   * response is too large, and with the reason of `end` if the call ends first, which closes the request's
   * connection.
   */
  post(call: HttpCall): Promise<HttpAnswer>;
  /** Closes the connections; requests in flight fail. */
  close(): Promise<void>;
}

/**
 * Idle time of a connection. It is well below any server's limit, so that no request is sent on a connection that is
 * being closed. A stopping server waits a little longer than this for idle connections to close.
 */
export const CLIENT_IDLE_MS = 2_000;

/**
 * Opens a channel. It connects on demand, with a connection per simultaneous call: a call that waited for another
 * one's response could miss its deadline.
 */
export function createHttpChannel(address: string): HttpChannel {
  const url = new URL(address);
  const all = new Set<HttpConnection>();
  /** Idle connections in the order of last use, the latest at the end. */
  const idle: HttpConnection[] = [];
  /** Connections opened since the server last announced a stop. */
  let current = new WeakSet<HttpConnection>();
  let sweep: NodeJS.Timeout | undefined;
  let isClosed = false;
  let onEmpty: (() => void) | undefined;

  function closeIdle(): void {
    sweep = undefined;
    const now = performance.now();
    const kept = idle.findIndex(({ idleSince }) => now - idleSince < CLIENT_IDLE_MS);
    for (const connection of idle.splice(0, kept < 0 ? idle.length : kept)) connection.destroy();
    sweepLater();
  }

  function sweepLater(): void {
    const [oldest] = idle;
    if (oldest === undefined || sweep !== undefined) return;
    const leftMs = oldest.idleSince + CLIENT_IDLE_MS - performance.now();
    sweep = setTimeout(closeIdle, Math.max(1, Math.ceil(leftMs))).unref();
  }

  function keep(connection: HttpConnection): void {
    if (!current.has(connection)) return connection.destroy();
    connection.idleSince = performance.now();
    idle.push(connection);
    sweepLater();
  }

  function forget(connection: HttpConnection): void {
    all.delete(connection);
    const place = idle.indexOf(connection);
    if (place >= 0) idle.splice(place, 1);
    if (all.size === 0) onEmpty?.();
  }

  function open(): HttpConnection {
    const connection = new HttpConnection(url, { idle: keep, close: forget });
    all.add(connection);
    current.add(connection);
    return connection;
  }

  function take(): HttpConnection {
    for (;;) {
      const connection = idle.pop();
      if (connection === undefined) return open();
      // The timer fires late if the process was suspended.
      if (connection.isOpen && performance.now() - connection.idleSince < CLIENT_IDLE_MS) return connection;
      connection.destroy();
    }
  }

  /** Closes idle connections now, so that no request goes to a server that only waits for them to close. */
  function leave(): void {
    current = new WeakSet();
    for (const connection of idle.splice(0)) connection.destroy();
  }

  return {
    async post(call) {
      if (call.end.aborted) throw call.end.reason;
      if (isClosed) throw new ChannelError(new Error('The client is closed.'), false);
      const connection = take();
      const answer = await connection.post(call);
      if (answer.isLast && current.has(connection)) leave();
      return answer;
    },
    close() {
      isClosed = true;
      clearTimeout(sweep);
      for (const connection of all) connection.destroy();
      return all.size === 0 ? Promise.resolve() : new Promise((resolve) => (onEmpty = resolve));
    },
  };
}
