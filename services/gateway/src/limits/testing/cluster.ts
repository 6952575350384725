import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import type { Budgets } from '../../identity/domain/budgets.ts';
import type { BurstBus } from '../burst-sharing.ts';
import type { Announcement } from '../domain/burst-ledger.ts';
import type { WindowStore } from '../domain/window-store.ts';
import { createLimiter } from '../limiter.ts';
import type { Verdict } from '../limits.ts';
import { memoryWindowStore } from './memory-window-store.ts';
import type { Random } from './random.ts';
import { VirtualTime } from './virtual-time.ts';

/** How the simulated parts behave; it may change while they run. */
export interface Weather {
  /** Longest way of an announcement to another replica. */
  busDelayMs: number;
  /** Share of announcements that get lost on a link. */
  busLoss: number;
  /** Longest way to the store, and back. */
  storeDelayMs: number;
  /** Share of questions that the store does not answer. */
  storeFailures: number;
  /** It fails before or after it did what it was asked, or answers when nobody waits any more. */
  storeFailure: 'before' | 'after' | 'hangs' | 'any';
}

/** How a call ended. */
export type Outcome = Verdict | 'unavailable';

/** Longest time until a replica that is cut off knows it: a ping that is not answered (service-kit nats-link.ts). */
const UNNOTICED_MS = 1_500;
const HANG_MS = 7_000;
const log = createLogger({ service: 'test', level: 'silent' });

/** Replicas of the real limiter, in virtual time, over a bus and a store that delay, lose and fail as they are told. */
export class Cluster {
  readonly time: VirtualTime;
  readonly weather: Weather;
  readonly store = memoryWindowStore();
  readonly replicas: Replica[] = [];
  readonly #random: Random;

  constructor(o: { startMs: number; replicas: number; random: Random; weather?: Partial<Weather> }) {
    this.time = new VirtualTime(o.startMs);
    this.#random = o.random;
    this.weather = {
      busDelayMs: 5,
      busLoss: 0,
      storeDelayMs: 3,
      storeFailures: 0,
      storeFailure: 'any',
      ...o.weather,
    };
    for (let i = 0; i < o.replicas; i += 1) this.start();
  }

  /** Starts one more replica. */
  start(): Replica {
    const replica = new Replica(this, this.replicas.length, this.#random);
    this.replicas.push(replica);
    return replica;
  }

  /** The replicas that run. */
  get alive(): readonly Replica[] {
    return this.replicas.filter(({ isAlive }) => isAlive);
  }

  /** Stops the replicas that run, one after the other. */
  async close(): Promise<void> {
    for (const replica of this.alive) {
      void replica.limits.close();
      await this.time.runUntil(this.time.nowMs + 20_000);
      replica.isAlive = false;
    }
  }
}

/** One replica with its ways to the others and to the store. */
export class Replica {
  readonly index: number;
  readonly limits: ReturnType<typeof createLimiter>;
  isAlive = true;
  readonly #cluster: Cluster;
  readonly #random: Random;
  #hear: ((announcement: Announcement) => void) | undefined;
  #cutAt: number | undefined;
  #session = 1;

  constructor(cluster: Cluster, index: number, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
    this.index = index;
    this.limits = createLimiter({
      replica: `replica-${index}`,
      store: this.#storeLink(),
      bus: this.#busLink(),
      clock: cluster.time,
      timers: cluster.time.timers(() => this.isAlive),
      log,
    });
  }

  /** A call; `tell` hears how it ended, at once where the limiter answers at once. */
  call(accountId: string, budgets: Budgets, kind: 'call' | 'search', tell: (outcome: Outcome) => void): void {
    const told = (outcome: Outcome): void => void (this.isAlive && tell(outcome));
    try {
      const verdict = this.limits.admit({ accountId, budgets }, kind);
      if (verdict instanceof Promise) verdict.then(told, () => told('unavailable'));
      else told(verdict);
    } catch {
      told('unavailable');
    }
  }

  /** As `kill -9` does. */
  kill(): void {
    this.isAlive = false;
  }

  /** Cuts it off the bus; it takes a while to know. */
  cut(): void {
    this.#cutAt ??= this.#cluster.time.nowMs;
  }

  /** Ends the cut. */
  heal(): void {
    this.#cutAt = undefined;
    this.#session += 1;
  }

  /** Whether it is cut off and knows it. */
  get isDegraded(): boolean {
    return this.#cutAt !== undefined && this.#cluster.time.nowMs - this.#cutAt >= UNNOTICED_MS;
  }

  #busLink(): BurstBus {
    return {
      publish: (announcement) => {
        if (this.#cutAt !== undefined) return Promise.reject(new Error('The bus is away.'));
        const { time, weather, replicas } = this.#cluster;
        for (const other of replicas) {
          if (this.#random.chance(weather.busLoss)) continue;
          time.plan(this.#random.next() * weather.busDelayMs, () => other.#receive(announcement), false);
        }
        return Promise.resolve();
      },
      subscribe: (hear) => {
        this.#hear = hear;
        return { session: () => (this.isDegraded ? undefined : this.#session) };
      },
    };
  }

  #receive(announcement: Announcement): void {
    if (this.isAlive && this.#cutAt === undefined) this.#hear?.(announcement);
  }

  #storeLink(): WindowStore {
    const { time, store, weather } = this.#cluster;
    const way = (): Promise<void> => time.delay(this.#random.next() * weather.storeDelayMs);
    const reach = async <T>(act: () => Promise<T>): Promise<T> => {
      const fails = this.#random.chance(weather.storeFailures);
      const how =
        weather.storeFailure === 'any'
          ? this.#random.pick(['before', 'after', 'hangs'])
          : weather.storeFailure;
      await way();
      // What a process asked that is dead by now may arrive all the same.
      if (fails && how === 'before') throw new Error('The store is away.');
      const answer = await act();
      if (fails && how === 'after') throw new Error('The store went away.');
      await (fails ? time.delay(HANG_MS) : way());
      return this.isAlive ? answer : new Promise<T>(() => undefined);
    };
    return {
      exchange: (window, order) => reach(() => store.exchange(window, order)),
      giveBack: (returns) => reach(() => store.giveBack(returns)),
    };
  }
}
