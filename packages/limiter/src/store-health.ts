const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** A circuit breaker: after a failure no request is sent, longer each time, and then one request tries the store. */
export class StoreHealth {
  #failures = 0;
  #retryAt = 0;
  #isTried = false;

  /** Whether the last request failed. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Whether no request may be sent now. */
  isOpen(now: number): boolean {
    return this.#failures > 0 && (this.#isTried || now < this.#retryAt);
  }

  /** Records that a request is sent. */
  tried(): void {
    this.#isTried = true;
  }

  /** Records an answer; returns whether the previous request failed. */
  succeeded(): boolean {
    const isRecovery = this.#failures > 0;
    this.#failures = 0;
    this.#isTried = false;
    return isRecovery;
  }

  /** Records a failure; returns whether it is the first in a row. */
  failed(now: number): boolean {
    const isFirst = this.#failures === 0;
    this.#retryAt = now + Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#isTried = false;
    return isFirst;
  }
}
