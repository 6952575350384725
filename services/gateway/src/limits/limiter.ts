import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Budgets } from '../identity/domain/budgets.ts';
import { shareBursts } from './burst-sharing.ts';
import type { BurstBus, BurstSharing } from './burst-sharing.ts';
import { StoreHealth } from './domain/store-health.ts';
import { rateLimitOf } from './domain/headers.ts';
import type { WindowStore } from './domain/window-store.ts';
import { KnownAccount } from './known-account.ts';
import type { Need } from './known-account.ts';
import { giveBackOf } from './lease-desk.ts';
import type { DeskDeps } from './lease-desk.ts';
import type { LimitedAccount, Limits, Verdict } from './limits.ts';
import { decided } from './metrics.ts';
import type { LimiterState } from './metrics.ts';
import type { Timers } from './timers.ts';
import { createTriggerTests } from './trigger-tests.ts';

/** How often leases are looked through for what lies idle. */
const SWEEP_MS = 1_000;
/** An account that did not call for so long is forgotten. */
const FORGOTTEN_MS = 60_000;

/** One call on its way to a decision. */
interface Call {
  readonly account: KnownAccount;
  readonly budgets: Budgets;
  readonly isSearch: boolean;
}

/** How many more calls the second of now lets in. */
interface Room {
  readonly burst: number;
  /** Infinite for what is no search. */
  readonly search: number;
}

/** What has to be asked before a call can be decided. */
class Question {
  readonly needs: readonly Need[];
  /** Calls that the second of now still lets in; 0 where only the answer of a refusal depends on it. */
  readonly room: number;

  constructor(needs: readonly Need[], room: number) {
    this.needs = needs;
    this.room = room;
  }
}

/** Limits over any store, bus and time: in production MongoDB, NATS and the process's own. */
export function createLimiter(o: {
  /** Unique among the replicas, and made anew with every start. */
  readonly replica: string;
  readonly store: WindowStore;
  readonly bus: BurstBus;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}): Limits & { readonly state: LimiterState } {
  const health = new StoreHealth();
  const bursts = shareBursts(o);
  const limiter = new Limiter({ ...o, health }, bursts);
  let isClosed = false;
  const sweep = async (): Promise<void> => {
    await limiter.sweep();
    if (!isClosed) sweeping = o.timers.after(SWEEP_MS, () => void sweep());
  };
  let sweeping = o.timers.after(SWEEP_MS, () => void sweep());
  return {
    state: {
      isBurstDegraded: () => bursts.isDegraded,
      isStoreAway: () => health.isFailing,
      knownReplicas: () => bursts.knownReplicas,
      knownAccounts: () => limiter.size,
    },
    admit: (account, kind) => limiter.admit(account, kind === 'search'),
    peek: (account) => limiter.peek(account),
    takeTriggerTest: createTriggerTests(o),
    async close() {
      isClosed = true;
      sweeping.cancel();
      await Promise.all([bursts.close(), limiter.close()]);
    },
  };
}

class Limiter {
  readonly #deps: DeskDeps;
  readonly #bursts: BurstSharing;
  readonly #accounts = new Map<string, KnownAccount>();

  constructor(deps: DeskDeps, bursts: BurstSharing) {
    this.#deps = deps;
    this.#bursts = bursts;
  }

  get size(): number {
    return this.#accounts.size;
  }

  admit({ accountId, budgets }: LimitedAccount, isSearch: boolean): Verdict | Promise<Verdict> {
    const now = this.#now();
    const call = { account: this.#know(accountId, now), budgets, isSearch };
    const decision = this.#decide(call, now);
    return decision instanceof Question ? this.#ask(call, decision) : decision;
  }

  peek({ accountId, budgets }: LimitedAccount): Verdict {
    const now = this.#now();
    const call = { account: this.#know(accountId, now), budgets, isSearch: false };
    return this.#verdict(call, this.#room(call, now), 0, now);
  }

  /** Gives idle leases back and forgets idle accounts. */
  async sweep(): Promise<void> {
    const now = this.#now();
    for (const [id, { calledAt, desks }] of this.#accounts) {
      if (now - calledAt >= FORGOTTEN_MS && desks.every((desk) => desk.isIdle)) this.#accounts.delete(id);
    }
    await giveBackOf(this.#desks(), (desk) => desk.lease.surplus(now), this.#deps);
  }

  /** Gives everything back. */
  async close(): Promise<void> {
    const isQuiet = (): boolean => this.#desks().every((desk) => desk.isQuiet);
    while (!isQuiet()) await Promise.all(this.#desks().map((desk) => desk.asked()));
    await giveBackOf(this.#desks(), (desk) => desk.lease.unspent, this.#deps);
  }

  /** Decides from memory, and counts; or says what has to be asked first. Throws UNAVAILABLE. */
  #decide(call: Call, now: number): Verdict | Question {
    const needs = call.account.needs(call.budgets, call.isSearch);
    const room = this.#room(call, now);
    if (needs.some(({ desk, limit }) => desk.status(limit, now) === 'full'))
      return this.#refuseForHour(call, needs, room, now);
    return room.burst === 0 || room.search === 0
      ? this.#refuseForSecond(call, needs, room, now)
      : this.#admit(call, needs, room, now);
  }

  #admit(call: Call, needs: readonly Need[], room: Room, now: number): Verdict | Question {
    const unclear = needs.filter(({ desk, limit }) => desk.status(limit, now) !== 'ready');
    if (unclear.some(({ desk }) => desk.isClosed(now))) {
      decided.hourly.unavailable.add();
      if (call.isSearch) decided.searchHourly.unavailable.add();
      throw new ApiError('UNAVAILABLE', 'Calls cannot be counted at the moment. Try again shortly.');
    }
    if (unclear.length > 0) return new Question(unclear, Math.min(room.burst, room.search));
    this.#bursts.count(call.account.id, call.isSearch, now);
    const left = { burst: room.burst - 1, search: room.search - 1 };
    for (const { desk, limit } of needs) {
      desk.lease.spend(now);
      desk.provide(limit, Math.min(left.burst, left.search), now);
    }
    decided.burst.allowed.add();
    decided.hourly.allowed.add();
    if (call.isSearch) {
      decided.search.allowed.add();
      decided.searchHourly.allowed.add();
    }
    return this.#verdict(call, left, 0, now);
  }

  #refuseForSecond(call: Call, needs: readonly Need[], room: Room, now: number): Verdict | Question {
    // Who comes back in a second shall not hear then that the hour is full as well.
    const unclear = needs.filter(({ desk, limit }) => !desk.hasLeft(limit, now) && !desk.isClosed(now));
    if (unclear.length > 0) return new Question(unclear, 0);
    if (this.#bursts.knownReplicas > 1) for (const { desk, limit } of needs) desk.offer(limit, now);
    if (room.burst === 0) decided.burst.refused.add();
    if (room.search === 0) decided.search.refused.add();
    return this.#verdict(call, room, 1, now);
  }

  #refuseForHour(call: Call, needs: readonly Need[], room: Room, now: number): Verdict {
    for (const { desk, limit } of needs) {
      if (desk.status(limit, now) !== 'full') continue;
      decided[desk === call.account.hourly ? 'hourly' : 'searchHourly'].refused.add();
    }
    return this.#verdict(call, room, 3600, now);
  }

  /** Asks until it can be decided: what is granted may go to calls that wait longer. */
  async #ask(call: Call, first: Question): Promise<Verdict> {
    for (let question = first; ;) {
      const { needs, room } = question;
      const now = this.#now();
      const change = room > 0 ? 1 : 0;
      for (const { desk } of needs) desk.waiting += change;
      await Promise.all(needs.map(({ desk, limit }) => desk.ask(limit, room, now)));
      // Before the next one that waited goes on, so that what is ordered now is for the others too.
      for (const { desk } of needs) desk.waiting -= change;
      const decision = this.#decide(call, this.#now());
      if (!(decision instanceof Question)) return decision;
      question = decision;
    }
  }

  #room({ account, budgets, isSearch }: Call, now: number): Room {
    return {
      burst: this.#bursts.room(account.id, budgets.burstPerSecond, 'calls', now),
      search: isSearch
        ? this.#bursts.room(account.id, budgets.searchPerSecond, 'searches', now)
        : Number.POSITIVE_INFINITY,
    };
  }

  #verdict(call: Call, room: Room, retryAfterSeconds: 0 | 1 | 3600, now: number): Verdict {
    const { account, budgets, isSearch } = call;
    const [hourly, searchHourly] = account
      .needs(budgets, isSearch)
      .map(({ desk, limit }) => desk.lease.left(limit, now));
    return {
      isAllowed: retryAfterSeconds === 0,
      retryAfterSeconds,
      rateLimit: rateLimitOf(
        { burst: room.burst, hourly: hourly ?? 0, search: room.search, searchHourly },
        now,
      ),
      policy: account.policy(budgets, isSearch),
    };
  }

  #know(id: string, now: number): KnownAccount {
    const known = this.#accounts.get(id) ?? new KnownAccount(id, this.#deps);
    if (known.calledAt === 0) this.#accounts.set(id, known);
    known.calledAt = now;
    return known;
  }

  #desks(): readonly KnownAccount['hourly'][] {
    return [...this.#accounts.values()].flatMap(({ desks }) => desks);
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }
}
