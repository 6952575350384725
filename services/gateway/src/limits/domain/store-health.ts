const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Whether the store can be asked: after a failure it is left alone for a while, longer each time, then tried by one. */
export class StoreHealth {
  #failures = 0;
  #retryAt = 0;
  #isTried = false;

  /** Whether the last answer was a failure. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Whether nobody may ask now. */
  isAway(now: number): boolean {
    return this.#failures > 0 && (this.#isTried || now < this.#retryAt);
  }

  /** Somebody asks. */
  tried(): void {
    this.#isTried = true;
  }

  /** It answered; answers whether that is news. */
  succeeded(): boolean {
    const isNews = this.#failures > 0;
    this.#failures = 0;
    this.#isTried = false;
    return isNews;
  }

  /** It did not; answers whether that is news. */
  failed(now: number): boolean {
    const isNews = this.#failures === 0;
    this.#retryAt = now + Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#isTried = false;
    return isNews;
  }
}
