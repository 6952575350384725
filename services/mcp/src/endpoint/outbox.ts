/** Maximum bytes and messages that wait for a client. */
export interface OutboxLimits {
  readonly bytes: number;
  readonly messages: number;
}

const LIMITS: OutboxLimits = { bytes: 512 * 1024, messages: 1_000 };

/** Queue of one request's messages to its client. */
export class Outbox {
  readonly #limits: OutboxLimits;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #hasEnded = false;
  /** Resolves when something changes. */
  #change = Promise.withResolvers<void>();

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** Adds a message if there is room; otherwise drops it. */
  offer(message: Uint8Array): void {
    if (this.#hasRoom(message.length)) this.#add(message);
  }

  /** Adds a message. Resolves when there is room again, or the outbox was closed. */
  async push(message: Uint8Array): Promise<void> {
    this.#add(message);
    while (!this.#hasEnded && !this.#hasRoom(0)) await this.#change.promise;
  }

  /** Closes the outbox: it accepts no further messages. */
  end(): void {
    this.#hasEnded = true;
    this.#changed();
  }

  /** Yields messages until the outbox is closed and empty. Only one reader is allowed. */
  async *messages(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#bytes -= next.length;
        this.#changed();
        yield next;
      } else if (this.#hasEnded) {
        return;
      } else {
        await this.#change.promise;
      }
    }
  }

  #hasRoom(bytes: number): boolean {
    return this.#waiting.length < this.#limits.messages && this.#bytes + bytes <= this.#limits.bytes;
  }

  #add(message: Uint8Array): void {
    if (this.#hasEnded) return;
    this.#waiting.push(message);
    this.#bytes += message.length;
    this.#changed();
  }

  #changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
