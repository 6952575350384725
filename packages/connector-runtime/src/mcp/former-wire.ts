const MAX_CONNECTIONS = 1_000;
/** A server that has learned the later wire since is found out by then, at the latest. */
const KNOWN_FOR_MS = 60 * 60_000;

/**
 * The connections of a worker whose servers speak HTTP+SSE (2024-11-05) only, so that opening a session does not ask for Streamable HTTP
 * each time.
 */
export class FormerWire {
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the connection's server last spoke the former wire. */
  isSpoken(connection: string): boolean {
    return (this.#until.get(connection) ?? 0) > this.#now();
  }

  /** Notes that it does; of more than a thousand connections the one that was noted first is dropped. */
  note(connection: string): void {
    this.#until.delete(connection);
    this.#until.set(connection, this.#now() + KNOWN_FOR_MS);
    if (this.#until.size <= MAX_CONNECTIONS) return;
    for (const first of this.#until.keys()) return void this.#until.delete(first);
  }

  /** Drops a connection whose server does not answer on that wire any more. */
  forget(connection: string): void {
    this.#until.delete(connection);
  }
}
