import type { Dispatcher } from 'undici';
import type { QueueEntry } from '@fairlead/service-kit/collections/fair-queue';
import { PermitQueue } from '@fairlead/service-kit/permits/permit-queue';
import type { PartitionLimits, Waiter } from '@fairlead/service-kit/permits/permit-queue';
import { Connection } from './connection.ts';
import type { VetHost } from './connector.ts';
import { EgressError } from './error.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeOptions } from './exchange.ts';

/** The limits on a process's sockets. */
export interface SocketLimits {
  /** Sockets in use and idle together. */
  readonly total: number;
  /** Sockets in use for one destination. */
  readonly perDestination: number;
  /** Sockets kept alive between exchanges, over all origins. The least recently used one is closed first. */
  readonly idle: number;
  /** Exchanges of one destination that wait for a socket. */
  readonly waiting: number;
}

const DEFAULT_LIMITS: SocketLimits = { total: 1_000, perDestination: 100, idle: 256, waiting: 1_000 };

interface WaitingExchange extends Waiter {
  readonly exchange: Exchange;
}

/** Connections to any number of origins, kept alive and bounded. */
export class SocketPool {
  readonly #limits: SocketLimits;
  readonly #vetHost: VetHost;
  readonly #all = new Set<Connection>();
  /** The least recently used one first. */
  readonly #idle = new Set<Connection>();
  readonly #idleByOrigin = new Map<string, Set<Connection>>();
  /** A permit for each connection in use; the partition is its destination. */
  readonly #permits: PermitQueue<WaitingExchange>;
  readonly #partitionLimits: PartitionLimits;

  constructor(vetHost: VetHost, limits: Partial<SocketLimits> = {}) {
    this.#vetHost = vetHost;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    const { total, perDestination, waiting } = this.#limits;
    this.#partitionLimits = { running: perDestination, waiting };
    this.#permits = new PermitQueue({
      perAccount: total,
      perPartition: perDestination,
      waiting: Infinity,
      waitingBytes: Infinity,
    });
  }

  /** Sends a request on a kept-alive or new connection, as soon as the limits allow one; `handler` gets every outcome. */
  dispatch(options: ExchangeOptions, handler: Dispatcher.DispatchHandler): void {
    const { destination: partition, origin, signal } = options;
    let entry: QueueEntry<WaitingExchange> | undefined;
    const exchange = new Exchange(options, handler, () => this.#settled(exchange, entry));
    if (signal.aborted) {
      exchange.fail(new Error('The call was aborted.'));
    } else if (this.#permits.take(partition, this.#partitionLimits)) {
      this.#run(exchange);
    } else {
      const start = (): void => this.#run(exchange);
      entry = this.#permits.wait({
        partition,
        partitionLimits: this.#partitionLimits,
        heldBytes: 0,
        start,
        exchange,
      });
      if (entry !== undefined) return;
      const { host } = new URL(origin);
      exchange.fail(new EgressError('sockets_exhausted', `Too many calls to ${host} wait for a connection.`));
    }
  }

  /** Closes every connection; exchanges that use one or wait for one fail. */
  async destroy(): Promise<void> {
    const closed = new EgressError('aborted', 'The process stops.');
    for (const { exchange } of this.#permits.drain()) exchange.fail(closed);
    await Promise.all([...this.#all].map((connection) => connection.destroy(closed)));
  }

  /** Runs an exchange that has a permit. */
  #run(exchange: Exchange): void {
    const { origin, isNewConnection } = exchange.options;
    exchange.run((isNewConnection ? undefined : this.#takeIdle(origin)) ?? this.#open(origin));
  }

  #settled(exchange: Exchange, entry: QueueEntry<WaitingExchange> | undefined): void {
    const { connection } = exchange;
    if (connection === undefined) {
      if (entry !== undefined) this.#permits.leave(entry);
      return;
    }
    // undici closes a connection that cannot be kept right after this call; the connection must be free in the caller's view by then.
    queueMicrotask(() => {
      if (connection.isOpen) this.#keep(connection);
      else this.#close(connection);
      this.#permits.release(exchange.options.destination);
    });
  }

  #open(origin: string): Connection {
    // A permit is free, so not all connections are in use.
    if (this.#all.size >= this.#limits.total) this.#closeOldestIdle();
    const connection = new Connection(origin, this.#vetHost, (closed) => {
      if (this.#idle.has(closed)) this.#close(closed);
    });
    this.#all.add(connection);
    return connection;
  }

  #takeIdle(origin: string): Connection | undefined {
    // The most recently used one, because the others may be about to reach their idle limit.
    const connection = [...(this.#idleByOrigin.get(origin) ?? [])].at(-1);
    if (connection !== undefined) this.#unlist(connection);
    return connection;
  }

  #keep(connection: Connection): void {
    this.#idle.add(connection);
    const siblings = this.#idleByOrigin.get(connection.origin);
    if (siblings === undefined) this.#idleByOrigin.set(connection.origin, new Set([connection]));
    else siblings.add(connection);
    if (this.#idle.size > this.#limits.idle) this.#closeOldestIdle();
  }

  #closeOldestIdle(): void {
    const [oldest] = this.#idle;
    if (oldest !== undefined) this.#close(oldest);
  }

  #close(connection: Connection): void {
    this.#unlist(connection);
    this.#all.delete(connection);
    void connection.destroy(new Error('The connection is not needed any more.'));
  }

  #unlist(connection: Connection): void {
    this.#idle.delete(connection);
    const siblings = this.#idleByOrigin.get(connection.origin);
    siblings?.delete(connection);
    if (siblings?.size === 0) this.#idleByOrigin.delete(connection.origin);
  }
}
