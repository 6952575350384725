/** How the vendor misbehaves at the moment, as the admin API shows it. */
export interface ConditionsView {
  readonly isDown: boolean;
  /** When the outage ends by itself; null while up, or until it is ended by a call. */
  readonly downUntil: string | null;
  readonly delayMs: number;
  readonly requestsPerSecond: number | null;
}

/** Outages, slowness and rate limit on demand. In memory: a restart brings the vendor back in good health. */
export class Conditions {
  /** Milliseconds since 1970; Infinity until it is ended; undefined while up. */
  #downUntil: number | undefined;
  #delayMs = 0;
  #bucket: TokenBucket | undefined;

  /** Every request gets 503 for `forMs`, or until `bringUp` without it. */
  takeDown(forMs: number | undefined): void {
    this.#downUntil = forMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + forMs;
  }

  bringUp(): void {
    this.#downUntil = undefined;
  }

  /** Every response waits this long first; 0 ends it. */
  setDelay(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** So many API calls a second pass, as many at once; null lifts the limit. */
  setRateLimit(requestsPerSecond: number | null): void {
    this.#bucket = requestsPerSecond === null ? undefined : new TokenBucket(requestsPerSecond, Date.now());
  }

  /** Back to up, quick and unlimited. */
  clear(): void {
    this.bringUp();
    this.setDelay(0);
    this.setRateLimit(null);
  }

  get delayMs(): number {
    return this.#delayMs;
  }

  /** Seconds until the vendor is back, null where that is open, undefined where it is up. */
  downForSeconds(): number | null | undefined {
    if (this.#downUntil === undefined) return undefined;
    if (this.#downUntil === Number.POSITIVE_INFINITY) return null;
    const remainingMs = this.#downUntil - Date.now();
    return remainingMs > 0 ? Math.ceil(remainingMs / 1000) : undefined;
  }

  /** Counts a call against the rate limit: 0 where it may pass, else the seconds to wait. */
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

/** Starts full and refills evenly, so that a burst above the limit is refused whatever the time of day. */
class TokenBucket {
  readonly perSecond: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.perSecond = perSecond;
    this.#tokens = perSecond;
    this.#filledAtMs = nowMs;
  }

  /** 0 where a token was there, else the whole seconds until there is one. */
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
