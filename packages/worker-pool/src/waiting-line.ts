import type { PoolCall } from './pool-call.ts';

interface Lane {
  readonly calls: PoolCall[];
  bytes: number;
}

/** What becomes of a call that is offered: `later`: others of its account may go first; `noRoom`: none of them can go. */
export type Offered = 'taken' | 'later' | 'noRoom';

/** The calls that wait for a worker: in order within an account, the accounts in turn. */
export class WaitingLine {
  /** In the order in which accounts have their turn. No lane is empty. */
  readonly #lanes = new Map<string, Lane>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Accounts with waiting calls. */
  accounts(): Iterable<string> {
    return this.#lanes.keys();
  }

  of(account: string): { readonly count: number; readonly bytes: number } {
    const lane = this.#lanes.get(account);
    return { count: lane?.calls.length ?? 0, bytes: lane?.bytes ?? 0 };
  }

  add(call: PoolCall): void {
    let lane = this.#lanes.get(call.account);
    if (lane === undefined) this.#lanes.set(call.account, (lane = { calls: [], bytes: 0 }));
    lane.calls.push(call);
    lane.bytes += call.bytes;
    this.#size += 1;
  }

  /** Removes a call; false if it does not wait. */
  remove(call: PoolCall): boolean {
    const lane = this.#lanes.get(call.account);
    const place = lane?.calls.indexOf(call) ?? -1;
    if (lane === undefined || place === -1) return false;
    lane.calls.splice(place, 1);
    lane.bytes -= call.bytes;
    this.#size -= 1;
    if (lane.calls.length === 0) this.#lanes.delete(call.account);
    return true;
  }

  /**
   * Offers the calls of each account in turn, until nothing more is taken: the first one, and those behind it as long as
   * the answer is `later`. A call that is `taken` no longer waits.
   */
  offer(take: (call: PoolCall) => Offered): void {
    for (const [account, lane] of this.#lanes) {
      const taken = firstTaken(lane.calls, take);
      if (taken === undefined) continue;
      this.remove(taken);
      // Its next call comes after those of the others; this loop reaches it again there.
      if (this.#lanes.delete(account)) this.#lanes.set(account, lane);
    }
  }

  /** Takes out everything. */
  drain(): PoolCall[] {
    const calls = [...this.#lanes.values()].flatMap((lane) => lane.calls);
    this.#lanes.clear();
    this.#size = 0;
    return calls;
  }
}

function firstTaken(calls: readonly PoolCall[], take: (call: PoolCall) => Offered): PoolCall | undefined {
  for (const call of calls) {
    const offered = take(call);
    if (offered === 'taken') return call;
    if (offered === 'noRoom') return undefined;
  }
  return undefined;
}
