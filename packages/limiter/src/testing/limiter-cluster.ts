import { createLimiter } from '../limiter.ts';
import type { Limiter, LimiterOptions } from '../limiter.ts';
import type { Decision, Limit } from '../limit.ts';
import type { CountUpdate } from '../second-counts.ts';
import type { CountBus } from '../shared-counts.ts';
import type { WindowStore } from '../window-store.ts';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { memoryWindowStore } from './memory-window-store.ts';
import type { Random } from '@fairlead/service-kit/testing/random';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';

/** Limits of a key that makes two kinds of calls: every call counts under the first two, a search under all four. */
export interface TestLimits {
  readonly burst: number;
  readonly hourly: number;
  readonly search: number;
  readonly searchHourly: number;
}

export type Kind = 'call' | 'search';

const lists = new WeakMap<TestLimits, Readonly<Record<Kind, readonly Limit[]>>>();

/** The limits that a call of this kind counts under; the same list each time. */
export function limitsOf(limits: TestLimits, kind: Kind): readonly Limit[] {
  const known = lists.get(limits);
  if (known !== undefined) return known[kind];
  const call: readonly Limit[] = [
    { name: 'burst', window: 'second', max: limits.burst },
    { name: 'hourly', window: 'hour', max: limits.hourly },
  ];
  const search: readonly Limit[] = [
    ...call,
    { name: 'search', window: 'second', max: limits.search },
    { name: 'searchHourly', window: 'hour', max: limits.searchHourly },
  ];
  lists.set(limits, { call, search });
  return kind === 'call' ? call : search;
}

/** How the simulated parts behave; may be changed while they run. */
export interface Weather {
  /** The longest delay of an update to another replica. */
  busDelayMs: number;
  /** Fraction of updates that are lost on a link. */
  busLoss: number;
  /** The longest transfer time of a request to the store, and of its response. */
  storeDelayMs: number;
  /** Fraction of requests that the store does not answer. */
  storeFailures: number;
  /** The store fails before or after it has done the work, or responds when no caller waits any more. */
  storeFailure: 'before' | 'after' | 'hangs' | 'any';
}

/** Longest time until a replica that is cut off detects it: a ping without a pong (nats/link.ts). */
const UNNOTICED_MS = 1_500;
const HANG_MS = 7_000;
const log = createLogger({ service: 'test', level: 'silent' });

/** Replicas of the real limiter, in virtual time, over a bus and a store that delay, lose and fail as configured. */
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

  /** The running replicas. */
  get alive(): readonly Replica[] {
    return this.replicas.filter(({ isAlive }) => isAlive);
  }

  /** Stops the running replicas, one after the other. */
  async close(): Promise<void> {
    for (const replica of this.alive) {
      void replica.limiter.close();
      await this.time.runUntil(this.time.nowMs + 20_000);
      replica.isAlive = false;
    }
  }
}

/** The dependencies of a replica's limiter. */
type Parts = Pick<LimiterOptions, 'store' | 'clock' | 'timers' | 'log'>;

/** One replica with its links to the others and to the store. */
export class Replica {
  readonly index: number;
  readonly limiter: Limiter;
  /** The limiter's dependencies, for tests of other parts on the same store and time. */
  readonly parts: Parts;
  isAlive = true;
  readonly #cluster: Cluster;
  readonly #random: Random;
  #receiver: ((update: CountUpdate) => void) | undefined;
  #cutAt: number | undefined;
  #session = 1;

  constructor(cluster: Cluster, index: number, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
    this.index = index;
    this.parts = {
      store: this.#storeLink(),
      clock: cluster.time,
      timers: cluster.time.timers(() => this.isAlive),
      log,
    };
    this.limiter = createLimiter({ replica: `replica-${index}`, bus: this.#busLink(), ...this.parts });
  }

  /** A call; `report` receives its outcome, synchronously if the limiter decides at once. */
  call(key: string, limits: TestLimits, kind: Kind, report: (decision: Decision) => void): void {
    const reported = (decision: Decision): void => void (this.isAlive && report(decision));
    const decision = this.limiter.admit(key, limitsOf(limits, kind));
    if (decision instanceof Promise) void decision.then(reported);
    else reported(decision);
  }

  /** Ends it as `kill -9` does. */
  kill(): void {
    this.isAlive = false;
  }

  /** Cuts the replica off the bus; it detects this after a while. */
  cut(): void {
    this.#cutAt ??= this.#cluster.time.nowMs;
  }

  /** Ends the cut. */
  heal(): void {
    this.#cutAt = undefined;
    this.#session += 1;
  }

  /** Whether the replica is cut off from the bus and has detected it. */
  get isDegraded(): boolean {
    return this.#cutAt !== undefined && this.#cluster.time.nowMs - this.#cutAt >= UNNOTICED_MS;
  }

  #busLink(): CountBus {
    return {
      publish: (update) => {
        if (this.#cutAt !== undefined) return Promise.reject(new Error('The bus is away.'));
        const { time, weather, replicas } = this.#cluster;
        for (const other of replicas) {
          if (this.#random.chance(weather.busLoss)) continue;
          time.plan(this.#random.next() * weather.busDelayMs, () => other.#receive(update), false);
        }
        return Promise.resolve();
      },
      subscribe: (receive) => {
        this.#receiver = receive;
        return { session: () => (this.isDegraded ? undefined : this.#session) };
      },
    };
  }

  #receive(update: CountUpdate): void {
    if (this.isAlive && this.#cutAt === undefined) this.#receiver?.(update);
  }

  #storeLink(): WindowStore {
    const { time, store, weather } = this.#cluster;
    const travel = (): Promise<void> => time.delay(this.#random.next() * weather.storeDelayMs);
    const reach = async <T>(act: () => Promise<T>): Promise<T> => {
      const fails = this.#random.chance(weather.storeFailures);
      const how =
        weather.storeFailure === 'any'
          ? this.#random.pick(['before', 'after', 'hangs'])
          : weather.storeFailure;
      await travel();
      // The request of a process that has died meanwhile may still arrive.
      if (fails && how === 'before') throw new Error('The store is away.');
      const answer = await act();
      if (fails && how === 'after') throw new Error('The store went away.');
      await (fails ? time.delay(HANG_MS) : travel());
      return this.isAlive ? answer : new Promise<T>(() => undefined);
    };
    return {
      fillOrder: (window, order) => reach(() => store.fillOrder(window, order)),
      giveBack: (returns) => reach(() => store.giveBack(returns)),
    };
  }
}
