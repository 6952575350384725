import type { Clock } from '@fairlead/service-kit/clock';
import type { Timers } from '@fairlead/service-kit/timers';
import type { ConnectionLimit } from '../ports/vendor-limits.ts';

/** Longest limit, whatever the vendor says: if it errs or lies, it is called again after an hour. */
const MAX_LIMIT_MS = 3_600_000;
/** Maximum number of limited connections, per account and in total; the oldest is forgotten first. */
const MAX_PER_ACCOUNT = 1_000;
const MAX_CONNECTIONS = 10_000;

interface Limit {
  readonly untilMs: number;
  readonly credentialVersion: number;
  readonly timer: { cancel(): void };
}

/** Connections whose vendor currently accepts no calls, in the memory of one replica. */
export class LimitedConnections {
  readonly #accounts = new Map<string, Map<number, Limit>>();
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #onEnd: (accountId: string) => void;
  #size = 0;

  /** `onEnd` is called when a limit of the account ends. */
  constructor(o: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly onEnd: (accountId: string) => void;
  }) {
    this.#clock = o.clock;
    this.#timers = o.timers;
    this.#onEnd = o.onEnd;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether a connection is limited, in any version of its credential. */
  has(accountId: string, connectionId: number): boolean {
    return this.#accounts.get(accountId)?.has(connectionId) === true;
  }

  /** When the limit of this credential version ends; a later version than the limited one ends the limit. Undefined version: unknown. */
  until(accountId: string, connectionId: number, version: number | undefined): Date | undefined {
    const limit = this.#accounts.get(accountId)?.get(connectionId);
    if (limit === undefined) return undefined;
    if (version === undefined || version <= limit.credentialVersion) return new Date(limit.untilMs);
    this.#end(accountId, connectionId);
    return undefined;
  }

  /** Records a limit and returns whether it is new: a limit is only extended, up to an hour. */
  note(accountId: string, { connectionId, credentialVersion, forMs }: ConnectionLimit): boolean {
    const durationMs = Math.min(forMs, MAX_LIMIT_MS);
    const untilMs = this.#clock.now().getTime() + durationMs;
    const known = this.#accounts.get(accountId)?.get(connectionId);
    const isKnown =
      known !== undefined &&
      (known.credentialVersion > credentialVersion ||
        (known.credentialVersion === credentialVersion && known.untilMs >= untilMs));
    // Not a positive number: not a limit.
    if (isKnown || !(durationMs > 0)) return false;
    this.#forget(accountId, connectionId);
    const timer = this.#timers.after(durationMs, () => this.#end(accountId, connectionId));
    let limits = this.#accounts.get(accountId);
    if (limits === undefined) this.#accounts.set(accountId, (limits = new Map<number, Limit>()));
    limits.set(connectionId, { untilMs, credentialVersion, timer });
    this.#size += 1;
    this.#evict(accountId, limits);
    return true;
  }

  /** Forgets all limits and stops timers. */
  clear(): void {
    for (const limits of this.#accounts.values()) for (const { timer } of limits.values()) timer.cancel();
    this.#accounts.clear();
    this.#size = 0;
  }

  #evict(accountId: string, limits: ReadonlyMap<number, Limit>): void {
    if (limits.size <= MAX_PER_ACCOUNT && this.#size <= MAX_CONNECTIONS) return;
    const [first = accountId] = this.#accounts.keys();
    const from = limits.size > MAX_PER_ACCOUNT ? accountId : first;
    for (const connectionId of this.#accounts.get(from)?.keys() ?? []) {
      this.#end(from, connectionId);
      return;
    }
  }

  #end(accountId: string, connectionId: number): void {
    if (this.#forget(accountId, connectionId)) this.#onEnd(accountId);
  }

  #forget(accountId: string, connectionId: number): boolean {
    const limits = this.#accounts.get(accountId);
    const limit = limits?.get(connectionId);
    if (limits === undefined || limit === undefined) return false;
    limit.timer.cancel();
    limits.delete(connectionId);
    if (limits.size === 0) this.#accounts.delete(accountId);
    this.#size -= 1;
    return true;
  }
}
