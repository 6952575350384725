import type { ClientMessage } from './call-message.ts';

/** Maximum number of notifications that wait for a slow client; further ones are dropped. */
const MAX_WAITING = 100;

/** Queue of a call's messages for its client, with one reader. */
export class ClientMessages implements AsyncIterable<ClientMessage> {
  #waiting: ClientMessage[] = [];
  #notifications = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;

  add(message: ClientMessage): void {
    if (this.#isEnded) return;
    if (message.kind === 'notification') {
      if (this.#notifications === MAX_WAITING) return;
      this.#notifications += 1;
    }
    this.#waiting.push(message);
    this.#wake?.();
  }

  /** No message follows those already queued. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ClientMessage> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) {
        if (message.kind === 'notification') this.#notifications -= 1;
        yield message;
      } else if (this.#isEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
