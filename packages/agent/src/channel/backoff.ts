const MIN_MS = 1_000;
const MAX_MS = 30_000;

/**
 * Delays between attempts. They double from 1 s to 30 s; the second half of each is random, so that agents do not
 * return all at once.
 */
export class Backoff {
  readonly #random: () => number;
  readonly #minMs: number;
  #failures = 0;

  constructor(random: () => number = Math.random, minMs = MIN_MS) {
    this.#random = random;
    this.#minMs = minMs;
  }

  /** The delay before the next attempt, in milliseconds. */
  next(): number {
    const full = Math.min(MAX_MS, this.#minMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 20);
    return full / 2 + (full / 2) * this.#random();
  }

  /** Resets the delay after a successful attempt. */
  reset(): void {
    this.#failures = 0;
  }
}
