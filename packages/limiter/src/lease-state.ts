import type { Grant, Order } from './window-store.ts';
import { HOUR_MS, windowStart } from './windows.ts';

/** The rate of calls is measured over this period and the previous one; a lease lasts about as long at the current rate. */
const RATE_WINDOW_MS = 5_000;
/** A lease from which no call was spent for this long is returned. */
const IDLE_MS = 3_000;
/** A lease is at most this fraction of the limit, but at least 1; a crash costs at most that. */
const LEASE_SHARE = 100;
/** How long a full window counts as full without a request; longer each time that this is confirmed. */
const FIRST_TRUST_MS = 500;
const LONGEST_TRUST_MS = 10_000;

/**
 * The status of a lease for one call: `ready`: a call is held; the others: no call is left until the hour ends; none was left a while ago;
 * the store must be asked.
 */
export type LeaseStatus = 'ready' | 'full' | 'stale' | 'ask';

/** A request for a lease from the store, for one hour. */
export interface LeaseOrder extends Order {
  readonly hour: number;
}

/** The largest lease permitted under a limit. */
export function largestLease(limit: number): number {
  return Math.max(1, Math.floor(limit / LEASE_SHARE));
}

/**
 * The part of an hour's limit that this replica holds. All leases and all spent calls together are what the store counts
 * as used, so a call that is spent from a lease never exceeds the limit, whatever happens to messages, processes or the
 * store. Every hour begins with an empty lease. Pure: the time comes with each call, in milliseconds since 1970.
 */
export class LeaseState {
  #hour = -1;
  #isKnown = false;
  #unspent = 0;
  /** Calls taken by all replicas, as the store last reported; includes this lease. */
  #used = 0;
  /** The highest limit under which any part of the lease was taken. */
  #limit = 0;
  #answeredAt = 0;
  #trustMs = FIRST_TRUST_MS;
  #rateSince = 0;
  #rateCount = 0;
  #rateBefore = 0;
  #touchedAt = 0;

  /** Calls that are held and not spent, in the last hour that was examined. */
  get unspent(): number {
    return this.#unspent;
  }

  /** The last hour that was examined. */
  get hour(): number {
    return this.#hour;
  }

  /** The status of a call under this limit. */
  status(limit: number, now: number): LeaseStatus {
    this.#enter(now);
    if (!this.#isKnown) return 'ask';
    // Calls taken under a higher limit: the store must confirm how many of them are valid under this one.
    if (this.#unspent > 0) return limit < this.#limit ? 'ask' : 'ready';
    if (this.#used < limit) return 'ask';
    return now < this.#answeredAt + this.#trustMs ? 'full' : 'stale';
  }

  /** Whether the store had nothing left under `limit` when it last answered. */
  isStoreEmpty(limit: number): boolean {
    return this.#isKnown && this.#used >= limit;
  }

  /** The key's remaining calls, as far as this replica knows. */
  remaining(limit: number, now: number): number {
    this.#enter(now);
    return this.#isKnown ? Math.max(0, limit - this.#used + this.#unspent) : limit;
  }

  /** Takes one call; the status was `ready`. */
  spend(now: number): void {
    this.#unspent -= 1;
    this.#touchedAt = now;
    this.#rollRate(now);
    this.#rateCount += 1;
  }

  /** How many calls to request before they are needed; 0 while there are enough. */
  shortage(limit: number, now: number): number {
    const target = this.#target(limit, now);
    return this.#unspent > target / 2 ? 0 : target - this.#unspent;
  }

  /**
   * Starts a request to the store: `demand` for waiting calls, and `extra` for future ones. Returns held calls that a lower limit may not
   * permit.
   */
  order(
    o: { readonly limit: number; readonly demand: number; readonly extra: number },
    now: number,
  ): LeaseOrder {
    this.#enter(now);
    const returned = o.limit < this.#limit ? this.#unspent : 0;
    this.#give(returned);
    return { ...o, returned, hour: this.#hour };
  }

  /** Records the store's answer, even a late one, after `failed`. An answer for a past hour is ignored. */
  answered(order: LeaseOrder, { granted, used }: Grant, now: number): void {
    this.#enter(now);
    if (order.hour !== this.#hour) return;
    const wasFull = this.#isKnown && this.#unspent === 0 && this.#used >= order.limit;
    const isFull = granted === 0 && used >= order.limit;
    this.#trustMs = wasFull && isFull ? Math.min(2 * this.#trustMs, LONGEST_TRUST_MS) : FIRST_TRUST_MS;
    this.#limit = this.#unspent > 0 ? Math.max(this.#limit, order.limit) : order.limit;
    this.#unspent += granted;
    this.#used = used;
    this.#isKnown = true;
    this.#answeredAt = now;
    if (granted > 0) this.#touchedAt = now;
  }

  /** Records that the store did not answer, so that it may still count returned calls as used. */
  failed({ hour, returned }: { readonly hour: number; readonly returned: number }): void {
    if (hour === this.#hour) this.#used += returned;
  }

  /** Calls that other replicas could use: all of an idle lease, and the excess over the current rate. */
  surplus(now: number): number {
    this.#enter(now);
    if (this.#unspent === 0) return 0;
    if (now - this.#touchedAt >= IDLE_MS) return this.#unspent;
    const target = this.#target(this.#limit, now);
    return this.#unspent > 2 * target + 1 ? this.#unspent - target : 0;
  }

  /** Removes `amount` calls from the lease. */
  surrender(amount: number): { readonly hour: number; readonly returned: number } {
    this.#give(amount);
    return { hour: this.#hour, returned: amount };
  }

  #give(amount: number): void {
    this.#unspent -= amount;
    this.#used -= amount;
  }

  #target(limit: number, now: number): number {
    this.#rollRate(now);
    const recent = Math.max(this.#rateCount, this.#rateBefore);
    // One call does not make a rate: nothing is held for a key that calls rarely.
    return recent < 2 ? 0 : Math.min(recent, largestLease(limit));
  }

  #rollRate(now: number): void {
    const age = now - this.#rateSince;
    if (age >= 0 && age < RATE_WINDOW_MS) return;
    this.#rateBefore = age >= 0 && age < 2 * RATE_WINDOW_MS ? this.#rateCount : 0;
    this.#rateCount = 0;
    this.#rateSince = now;
  }

  #enter(now: number): void {
    const hour = windowStart(now, HOUR_MS);
    if (hour === this.#hour) return;
    this.#hour = hour;
    this.#isKnown = false;
    this.#unspent = 0;
    this.#used = 0;
    this.#limit = 0;
    this.#trustMs = FIRST_TRUST_MS;
  }
}
