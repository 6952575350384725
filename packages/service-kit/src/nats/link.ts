import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import type { Logger } from '../telemetry/logger.ts';
import { natsAddress } from './address.ts';
import type { Secret } from '../secret.ts';

/** A connection to NATS that is re-established whenever it is lost. */
export interface NatsLink {
  /** The current connection; undefined while there is none. */
  current(): NatsConnection | undefined;
  /**
   * Identifies the current period of unbroken delivery; undefined: none is certain. It is defined only while the
   * server has answered a ping that was sent after `since` and at most a second and a half ago: NATS keeps the order
   * within a connection, so all messages that it had accepted before that ping were delivered. Equal values at two
   * times mean that the connection was not lost in between.
   */
  session(since: number): number | undefined;
  /** Calls `attach` with every connection, including the current one; the signal aborts when that connection is lost. */
  onConnected(attach: (connection: NatsConnection, lost: AbortSignal) => void): void;
  /** Waits for deliveries and sends in progress, then closes. */
  close(): Promise<void>;
}

/** Maximum age of the last confirmation of the connection. */
const CONFIRMED_MS = 1_500;
const PING_EVERY_MS = 500;
const RECONNECT_PAUSE_MS = 250;
const CONNECT_TIMEOUT_MS = 2_000;
const DRAIN_LIMIT_MS = 2_000;

/** The clock for delays, which unlike the time of day is never set back. */
export function monotonicMs(): number {
  return performance.now();
}

/** Connects in the background and reconnects forever. An outage causes one warning, and its end one line. */
export function openNatsLink(o: {
  readonly url: Secret;
  readonly name: string;
  readonly log: Logger;
}): NatsLink {
  const stopping = new AbortController();
  const listeners = new Set<(connection: NatsConnection, lost: AbortSignal) => void>();
  /** The library's connection, even if disconnected. */
  let library: NatsConnection | undefined;
  let connection: NatsConnection | undefined;
  let lost = new AbortController();
  let session = 0;
  let confirmedAt: number | undefined;
  let isAwayLogged = false;

  const up = (next: NatsConnection): void => {
    connection = next;
    lost = new AbortController();
    session += 1;
    isAwayLogged = false;
    o.log.info({ server: next.getServer() }, 'connected to NATS');
    for (const attach of listeners) attach(next, lost.signal);
    void confirm();
  };
  const down = (reason?: unknown): void => {
    connection = undefined;
    confirmedAt = undefined;
    session += 1;
    lost.abort();
    if (isAwayLogged || stopping.signal.aborted) return;
    isAwayLogged = true;
    o.log.warn({ err: reason }, 'NATS is unreachable; cache entries are short-lived until it is back');
  };

  let isPinging = false;
  const confirm = async (): Promise<void> => {
    const askedConnection = connection;
    if (askedConnection === undefined || isPinging) return;
    const [sentAt, before] = [monotonicMs(), session];
    isPinging = true;
    try {
      await askedConnection.flush();
      if (session === before) confirmedAt = sentAt;
    } catch {
      // The connection was lost; its status events report that.
    } finally {
      isPinging = false;
    }
  };
  const pings = setInterval(() => void confirm(), PING_EVERY_MS);

  /** One connection of the client library, which reconnects by itself until it is closed permanently. */
  const live = async (next: NatsConnection): Promise<void> => {
    library = next;
    if (stopping.signal.aborted) return next.close();
    up(next);
    for await (const status of next.status()) {
      if (status.type === 'disconnect') down();
      else if (status.type === 'reconnect') up(next);
      else if (status.type === 'error') o.log.warn({ err: status.error }, 'NATS reports an error');
    }
    down(await next.closed());
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await live(await connect(connectionOptions(o.url, o.name)));
      } catch (error) {
        down(error);
      }
      await delay(RECONNECT_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();

  return {
    current: () => connection,
    session: (since) => {
      const isConfirmed =
        confirmedAt !== undefined && confirmedAt >= since && monotonicMs() - confirmedAt <= CONFIRMED_MS;
      return isConfirmed ? session : undefined;
    },
    onConnected(attach) {
      listeners.add(attach);
      if (connection !== undefined) attach(connection, lost.signal);
    },
    async close() {
      stopping.abort();
      clearInterval(pings);
      const limit = delay(DRAIN_LIMIT_MS, undefined, { ref: false });
      await Promise.race([connection?.drain().catch(() => undefined), limit]);
      lost.abort();
      await library?.close();
      await running;
    },
  };
}

function connectionOptions(url: Secret, name: string): NodeConnectionOptions {
  return {
    ...natsAddress(url),
    name,
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RECONNECT_PAUSE_MS,
    reconnectJitter: RECONNECT_PAUSE_MS,
    // After three unanswered pings, a frozen or silently disconnected server is given up.
    pingInterval: 1_000,
    maxPingOut: 2,
    // Without this option, each request captures a stack trace in case it fails.
    noAsyncTraces: true,
  };
}
