const MAX_CONNECTIONS = 1_000;
/** Time after which Streamable HTTP is tried again, because the server may have been updated. */
const KNOWN_FOR_MS = 60 * 60_000;

/**
 * A worker's connections whose servers support HTTP+SSE (2024-11-05) only. For them, opening a session does not try
 * Streamable HTTP first.
 */
export class FormerWire {
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  /** `now` is monotonic, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the connection's server last used HTTP+SSE. */
  isSpoken(connection: string): boolean {
    return (this.#until.get(connection) ?? 0) > this.#now();
  }

  /** Notes that the connection's server uses HTTP+SSE. Above 1 000 connections, the oldest note is dropped. */
  note(connection: string): void {
    this.#until.delete(connection);
    this.#until.set(connection, this.#now() + KNOWN_FOR_MS);
    if (this.#until.size <= MAX_CONNECTIONS) return;
    for (const first of this.#until.keys()) return void this.#until.delete(first);
  }

  /** Drops the note of a connection whose server no longer answers over HTTP+SSE. */
  forget(connection: string): void {
    this.#until.delete(connection);
  }
}
