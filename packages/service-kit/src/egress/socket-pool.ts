import type { Dispatcher } from 'undici';
import { Connection } from './connection.ts';
import type { VetHost } from './connector.ts';
import { EgressError } from './error.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeOptions } from './exchange.ts';

/** How many sockets a process opens. */
export interface SocketLimits {
  /** In use and idle together. */
  readonly total: number;
  /** In use for one destination. */
  readonly perDestination: number;
  /** Kept alive between exchanges, over all origins. The one that was not used for the longest time is closed first. */
  readonly idle: number;
  /** Exchanges of one destination that wait for a socket. */
  readonly waiting: number;
}

const DEFAULT_LIMITS: SocketLimits = { total: 1_000, perDestination: 100, idle: 256, waiting: 1_000 };

interface Destination {
  active: number;
  /** First come, first served. */
  readonly waiting: Set<Exchange>;
}

/** Connections to any number of origins, kept alive and bounded. */
export class SocketPool {
  readonly #limits: SocketLimits;
  readonly #vetHost: VetHost;
  readonly #all = new Set<Connection>();
  /** The least recently used one first. */
  readonly #idle = new Set<Connection>();
  readonly #idleByOrigin = new Map<string, Set<Connection>>();
  readonly #destinations = new Map<string, Destination>();
  /** Those with waiting exchanges; they take turns. */
  readonly #turns = new Set<Destination>();

  constructor(vetHost: VetHost, limits: Partial<SocketLimits> = {}) {
    this.#vetHost = vetHost;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /**
   * Sends a request on a kept-alive or new connection, as soon as the limits allow one; `handler` hears of every end.
   */
  dispatch(options: ExchangeOptions, handler: Dispatcher.DispatchHandler): void {
    const destination = this.#destinationOf(options.destination);
    const exchange = new Exchange(options, handler, () => this.#settled(destination, exchange));
    if (options.signal.aborted) {
      exchange.fail(new Error('The call was aborted.'));
    } else if (destination.waiting.size > 0 || !this.#start(destination, exchange)) {
      this.#wait(destination, exchange);
    }
  }

  /** Closes every connection; what uses one or waits fails. */
  async destroy(): Promise<void> {
    const closed = new EgressError('aborted', 'The process stops.');
    for (const { waiting } of this.#turns) {
      for (const exchange of waiting) exchange.fail(closed);
    }
    await Promise.all([...this.#all].map((connection) => connection.destroy(closed)));
  }

  #destinationOf(name: string): Destination {
    const known = this.#destinations.get(name);
    if (known !== undefined) return known;
    const added: Destination = { active: 0, waiting: new Set() };
    this.#destinations.set(name, added);
    return added;
  }

  /** False if no socket is free for it. */
  #start(destination: Destination, exchange: Exchange): boolean {
    if (destination.active >= this.#limits.perDestination) return false;
    const { origin, isNewConnection } = exchange.options;
    const connection = (isNewConnection ? undefined : this.#takeIdle(origin)) ?? this.#open(origin);
    if (connection === undefined) return false;
    destination.active += 1;
    exchange.run(connection);
    return true;
  }

  #wait(destination: Destination, exchange: Exchange): void {
    if (destination.waiting.size >= this.#limits.waiting) {
      const host = new URL(exchange.options.origin).host;
      exchange.fail(new EgressError('sockets_exhausted', `Too many calls to ${host} wait for a connection.`));
      return;
    }
    destination.waiting.add(exchange);
    this.#turns.add(destination);
  }

  #settled(destination: Destination, exchange: Exchange): void {
    const { connection } = exchange;
    if (connection === undefined) {
      destination.waiting.delete(exchange);
      this.#forget(exchange.options.destination, destination);
      return;
    }
    // undici closes a connection that cannot be kept right after this call; the caller must find the others free.
    queueMicrotask(() => {
      destination.active -= 1;
      this.#forget(exchange.options.destination, destination);
      if (connection.isOpen) this.#keep(connection);
      else this.#close(connection);
      this.#serveWaiting();
    });
  }

  #forget(name: string, destination: Destination): void {
    if (destination.waiting.size > 0) return;
    this.#turns.delete(destination);
    if (destination.active === 0) this.#destinations.delete(name);
  }

  #serveWaiting(): void {
    for (const destination of this.#turns) {
      if (this.#all.size >= this.#limits.total && this.#idle.size === 0) return;
      const [next] = destination.waiting;
      if (next === undefined || !this.#start(destination, next)) continue;
      destination.waiting.delete(next);
      // To the end, where this loop comes to it again.
      this.#turns.delete(destination);
      if (destination.waiting.size > 0) this.#turns.add(destination);
    }
  }

  #open(origin: string): Connection | undefined {
    if (this.#all.size >= this.#limits.total && !this.#closeOldestIdle()) return undefined;
    const connection = new Connection(origin, this.#vetHost, (closed) => {
      if (this.#idle.has(closed)) this.#close(closed);
    });
    this.#all.add(connection);
    return connection;
  }

  #takeIdle(origin: string): Connection | undefined {
    // The most recently used one: the others may reach their end.
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

  #closeOldestIdle(): boolean {
    const [oldest] = this.#idle;
    if (oldest === undefined) return false;
    this.#close(oldest);
    return true;
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
