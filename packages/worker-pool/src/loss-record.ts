import type { LossReason } from './errors.ts';

const MINUTE_MS = 60_000;

/** The losses that calls may have caused. Workers also end for other reasons, for example when the system runs out of memory. */
const COUNTED: readonly (LossReason | 'ended')[] = ['uncaught', 'memory', 'cpu', 'unresponsive', 'protocol'];

/** Counts the workers that each account's calls ended within the last minute. */
export class LossRecord {
  readonly #limit: number;
  readonly #losses = new Map<string, number[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Records a lost worker of the account. */
  add(account: string, reason: LossReason | 'ended', now: number): void {
    if (!COUNTED.includes(reason)) return;
    const times = this.#losses.get(account) ?? [];
    this.#losses.set(account, [...times, now].slice(-this.#limit));
  }

  /** Whether the account has reached its limit of losses. A loss counts for one minute. */
  isQuarantined(account: string, now: number): boolean {
    const times = this.#losses.get(account);
    return times?.length === this.#limit && now - (times[0] ?? 0) < MINUTE_MS;
  }

  /** Drops accounts without a loss in the last minute. */
  sweep(now: number): void {
    for (const [account, times] of this.#losses) {
      if (now - (times.at(-1) ?? 0) >= MINUTE_MS) this.#losses.delete(account);
    }
  }
}
