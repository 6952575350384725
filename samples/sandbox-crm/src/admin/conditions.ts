/** The simulated faults of the vendor, as the admin API reports them. */
export interface ConditionsView {
  readonly isDown: boolean;
  /** When the outage ends by itself; null without an outage, or if only a call ends it. */
  readonly downUntil: string | null;
  readonly delayMs: number;
  readonly requestsPerSecond: number | null;
}

/** Simulates outages, slow responses and a rate limit. Kept in memory: a restart ends them. */
export class Conditions {
  /** End of the outage in milliseconds since 1970; Infinity until a call ends it; undefined: no outage. */
  #downUntil: number | undefined;
  #delayMs = 0;
  #bucket: TokenBucket | undefined;

  /** Starts an outage: every request gets 503 for `forMs`, or without `forMs` until `bringUp`. */
  takeDown(forMs: number | undefined): void {
    this.#downUntil = forMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + forMs;
  }

  bringUp(): void {
    this.#downUntil = undefined;
  }

  /** Delays every response by this time; 0: no delay. */
  setDelay(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Limits API calls per second, with bursts of the same number; null removes the limit. */
  setRateLimit(requestsPerSecond: number | null): void {
    this.#bucket = requestsPerSecond === null ? undefined : new TokenBucket(requestsPerSecond, Date.now());
  }

  /** Ends the outage, the delay and the rate limit. */
  clear(): void {
    this.bringUp();
    this.setDelay(0);
    this.setRateLimit(null);
  }

  get delayMs(): number {
    return this.#delayMs;
  }

  /** Seconds until the outage ends, null if its end is not set, undefined without an outage. */
  downForSeconds(): number | null | undefined {
    if (this.#downUntil === undefined) return undefined;
    if (this.#downUntil === Number.POSITIVE_INFINITY) return null;
    const remainingMs = this.#downUntil - Date.now();
    return remainingMs > 0 ? Math.ceil(remainingMs / 1000) : undefined;
  }

  /** Counts a call against the rate limit: 0 if the call is within it, else the seconds to wait. */
  admit(): number {
    return this.#bucket?.take(Date.now()) ?? 0;
  }

  view(): ConditionsView {
    const isDown = this.downForSeconds() !== undefined;
    const until = this.#downUntil;
    return {
      isDown,
      downUntil:
        isDown && until !== undefined && Number.isFinite(until) ? new Date(until).toISOString() : null,
      delayMs: this.#delayMs,
      requestsPerSecond: this.#bucket?.perSecond ?? null,
    };
  }
}

/** A token bucket: starts full and refills evenly, so a burst above the limit is refused at any time of day. */
class TokenBucket {
  readonly perSecond: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.perSecond = perSecond;
    this.#tokens = perSecond;
    this.#filledAtMs = nowMs;
  }

  /** Takes a token. Returns 0, or the whole seconds until one is available. */
  take(nowMs: number): number {
    const refilled = this.#tokens + ((nowMs - this.#filledAtMs) / 1000) * this.perSecond;
    this.#tokens = Math.min(this.perSecond, refilled);
    this.#filledAtMs = nowMs;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return Math.max(1, Math.ceil((1 - this.#tokens) / this.perSecond));
  }
}
