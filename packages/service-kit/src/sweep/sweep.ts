import type { Document } from 'mongodb';
import type { Clock } from '../clock.ts';
import type { RepeatedWork } from '../lifecycle/background.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Timers } from '../timers.ts';
import type { Claim, Claims, Settlement, Turn } from './claims.ts';
import { sweepMetrics } from './metrics.ts';
import type { Pace } from './pace.ts';

/** The definition of a sweep: its claims, its work, and its limits in this process. */
export interface SweepOptions<T extends Document> {
  /** Name in the log and as a metric label. */
  readonly name: string;
  readonly claims: Claims<T>;
  /**
   * Works on one claimed document; `signal` aborts when the claim expires. Returns the new state; undefined if the
   * work has written it itself. If it throws, the document is claimed again after the claim has expired.
   */
  readonly work: (claimed: Claim<T>, signal: AbortSignal) => Promise<Settlement | undefined>;
  /** The pace at which work in a partition may begin. Default: at once. */
  readonly pace?: Pace;
  /** Maximum documents in progress, per partition and in total. */
  readonly perPartition: number;
  readonly inProgress: number;
  /**
   * The tenant of a document, and the maximum documents in progress per tenant, in all partitions together. Default:
   * no such limit.
   */
  readonly tenants?: { readonly of: (document: T) => string; readonly each: number };
  /**
   * Whether documents above these limits, and those settled as due at once, are claimed as soon as other work has
   * ended. Default: at the next look.
   */
  readonly goesOn?: boolean;
  /** Duration of a claim; longer than the work on one document takes. */
  readonly claimMs: number;
  /** Pause between two looks while nothing is due; while something is due, at most a second. Default: 5 000. */
  readonly idleMs?: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** Pause between two looks while documents are due, and otherwise. */
const BUSY_MS = 1_000;
const IDLE_MS = 5_000;
/** Maximum simultaneous claims; each takes a few database operations. */
const CLAIMS_AT_ONCE = 10;
/** Maximum partitions per claim, if there are many. */
const PARTITIONS_PER_CLAIM = 50;
/** Maximum partitions per look. */
const MAX_PARTITIONS = 10_000;

/** Time for which documents of a tenant at its limit are deferred; meanwhile those of others come first. */
const DEFERRED_MS = 5_000;

/** Time before its start at which a sweep claims a document; no pace plans further ahead. */
export const SWEEP_AHEAD_MS = BUSY_MS;

/**
 * Works on due documents in the background, on any number of replicas: each document is claimed by one of them, and
 * results of a holder whose claim was taken over are discarded. Each partition has its own limit, so a slow one
 * delays no other. Within the limits, the longest overdue partition and document come first. Documents of a tenant at
 * its limit are deferred for some seconds. Closing the sweep begins no more work, releases claims whose work has not
 * begun, and waits for the rest. Waking it makes it look at once, for example for documents that this process has
 * just made due.
 */
export function startSweep<T extends Document>(o: SweepOptions<T>): RepeatedWork {
  const sweep = new Sweep(o);
  return { wake: () => sweep.wake(), close: () => sweep.close() };
}

class Sweep<T extends Document> {
  readonly #o: SweepOptions<T>;
  readonly #metrics: ReturnType<typeof sweepMetrics>;
  /** Documents in progress by partition; partitions without any have no entry. */
  readonly #partitions = new Map<string, number>();
  /** Documents in progress by tenant. */
  readonly #tenants = new Map<string, number>();
  /** Claimed documents that wait for their start, each with the cancellation of its timer. */
  readonly #waiting = new Map<Claim<T>, () => void>();
  readonly #running = new Set<Promise<void>>();
  /** Partitions that may have unclaimed due documents, in the order of their turns. */
  readonly #backlog = new Set<string>();
  readonly #claimers = new Set<Promise<void>>();
  #inProgress = 0;
  #isClosed = false;
  #isFailing = false;
  #look: Promise<void>;
  /** The timer of the next look; undefined during a look. */
  #nextLook: { cancel(): void } | undefined;
  #isWoken = false;

  constructor(o: SweepOptions<T>) {
    this.#o = o;
    this.#metrics = sweepMetrics(o.name);
    this.#look = this.#lookAgain();
  }

  wake(): void {
    if (this.#nextLook === undefined) {
      this.#isWoken = true;
      return;
    }
    if (this.#isClosed) return;
    this.#nextLook.cancel();
    this.#look = this.#lookAgain();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#nextLook?.cancel();
    await this.#look;
    await Promise.allSettled(this.#claimers);
    const unbegun = [...this.#waiting.keys()];
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
    await this.#o.claims.release(unbegun).catch((error: unknown) => {
      // The claims expire by themselves.
      this.#o.log.warn({ err: error, sweep: this.#o.name }, 'could not release claims');
    });
    for (const _ of unbegun) this.#metrics.ended('released');
    await Promise.all(this.#running);
    this.#metrics.close();
  }

  async #lookAgain(): Promise<void> {
    let pauseMs = this.#o.idleMs ?? IDLE_MS;
    this.#nextLook = undefined;
    this.#isWoken = false;
    try {
      if (await this.#claimDue()) pauseMs = Math.min(BUSY_MS, pauseMs);
      if (this.#isFailing) this.#o.log.info({ sweep: this.#o.name }, 'a sweep succeeds again');
      this.#isFailing = false;
    } catch (error) {
      this.#noteFailure(error);
    }
    if (this.#isClosed) return;
    this.#nextLook = this.#o.timers.after(this.#isWoken ? 0 : pauseMs, () => {
      this.#look = this.#lookAgain();
    });
  }

  #noteFailure(error: unknown): void {
    if (!this.#isFailing)
      this.#o.log.warn({ err: error, sweep: this.#o.name }, 'a sweep failed and will be tried again');
    this.#isFailing = true;
  }

  /** Claims due documents while there is room; returns whether any were due. */
  async #claimDue(): Promise<boolean> {
    const { claims, clock } = this.#o;
    const partitions = await claims.duePartitions(clock.now(), MAX_PARTITIONS);
    this.#metrics.overdue(Math.max(0, ...partitions.map(({ at }) => clock.now().getTime() - at.getTime())));
    this.#backlog.clear();
    for (const { partition } of partitions) this.#backlog.add(partition);
    let turns = partitions.length;
    const claimSome = async (): Promise<void> => {
      while (turns > 0) {
        const taken = await this.#claimTurns();
        if (taken === 0) return;
        turns -= taken;
      }
    };
    const atOnce = Math.min(CLAIMS_AT_ONCE, partitions.length);
    const claiming = await Promise.allSettled(Array.from({ length: atOnce }, claimSome));
    const failed = claiming.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    this.#goOn();
    return partitions.length > 0;
  }

  /** Notes that a partition has unclaimed due documents. */
  #hasMore(partition: string): void {
    if (this.#o.goesOn) this.#backlog.add(partition);
  }

  /** Gives free permits to partitions of the backlog. Permits that became free together are used for one claim. */
  #goOn(): void {
    if (!this.#o.goesOn || this.#backlog.size === 0 || this.#claimers.size >= CLAIMS_AT_ONCE) return;
    const claiming = this.#claimBacklog().finally(() => this.#claimers.delete(claiming));
    this.#claimers.add(claiming);
  }

  async #claimBacklog(): Promise<void> {
    try {
      // First lets other work that ends in this turn free its permits.
      await Promise.resolve();
      while ((await this.#claimTurns()) > 0);
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  /** Claims documents of the partitions whose turn it is; returns the number of partitions. */
  async #claimTurns(): Promise<number> {
    const turns = this.#nextTurns();
    try {
      if (turns.length > 0) await this.#claimEach(turns);
    } finally {
      for (const { partition, limit } of turns) this.#count(partition, -limit);
    }
    return turns.length;
  }

  /**
   * Takes the next partitions with room out of the backlog, with permits for each. Concurrent claims share partitions
   * and permits. Takes only one partition if it has a pace, or if documents above its permits would wait for the next
   * look.
   */
  #nextTurns(): readonly Turn[] {
    const { pace, perPartition, inProgress, goesOn = false } = this.#o;
    const most = Math.ceil(this.#backlog.size / CLAIMS_AT_ONCE);
    const partitions = goesOn && pace === undefined ? Math.min(PARTITIONS_PER_CLAIM, most) : 1;
    const share = Math.ceil((inProgress - this.#inProgress) / Math.min(CLAIMS_AT_ONCE, this.#backlog.size));
    const turns: Turn[] = [];
    for (const partition of this.#backlog) {
      const free = inProgress - this.#inProgress;
      if (this.#isClosed || free <= 0 || turns.length === partitions) break;
      const limit = Math.min(
        perPartition - (this.#partitions.get(partition) ?? 0),
        Math.ceil(share / partitions),
        free,
      );
      if (limit <= 0) continue;
      this.#backlog.delete(partition);
      this.#count(partition, limit);
      turns.push({ partition, limit });
    }
    return turns;
  }

  async #claimEach(turns: readonly Turn[]): Promise<void> {
    const { claims, clock, claimMs } = this.#o;
    const { paced, starts } = await this.#paced(turns);
    if (paced.length === 0) return;
    const now = clock.now();
    const until = new Date(now.getTime() + SWEEP_AHEAD_MS + claimMs);
    const claimed = await claims.claimEach(paced, { now, until });
    const left = new Map(paced.map(({ partition, limit }) => [partition, limit]));
    const deferred: Claim<T>[] = [];
    for (const [index, each] of claimed.entries()) {
      if (this.#hasShare(each)) deferred.push(each);
      else {
        this.#plan(each, starts?.[index] ?? now);
        addTo(left, each.partition, -1);
      }
    }
    for (const _ of deferred) this.#metrics.ended('deferred');
    await claims.defer(deferred, new Date(now.getTime() + DEFERRED_MS));
    for (const { partition } of paced) if (!left.has(partition)) this.#hasMore(partition);
  }

  /** The documents of these turns that may begin, and their start times. */
  async #paced(
    turns: readonly Turn[],
  ): Promise<{ readonly paced: readonly Turn[]; readonly starts?: readonly Date[] }> {
    const { pace } = this.#o;
    const [first] = turns;
    if (pace === undefined || first === undefined) return { paced: turns };
    const starts = await pace(first.partition, first.limit);
    return {
      paced: starts.length === 0 ? [] : [{ partition: first.partition, limit: starts.length }],
      starts,
    };
  }

  #plan(claimed: Claim<T>, start: Date): void {
    this.#count(claimed.partition, 1);
    this.#countOfTenant(claimed, 1);
    if (this.#isClosed) return void this.#waiting.set(claimed, () => undefined);
    const delayMs = start.getTime() - this.#o.clock.now().getTime();
    if (delayMs <= 0) return this.#begin(claimed);
    const timer = this.#o.timers.after(delayMs, () => {
      this.#waiting.delete(claimed);
      this.#begin(claimed);
    });
    this.#waiting.set(claimed, () => timer.cancel());
  }

  #begin(claimed: Claim<T>): void {
    this.#metrics.began(this.#o.clock.now().getTime() - claimed.since.getTime());
    const work = this.#run(claimed).finally(() => {
      this.#running.delete(work);
      this.#count(claimed.partition, -1);
      this.#countOfTenant(claimed, -1);
      this.#goOn();
    });
    this.#running.add(work);
  }

  async #run(claimed: Claim<T>): Promise<void> {
    const { claims, work, clock, timers, claimMs, log, name } = this.#o;
    const expiry = new AbortController();
    const timer = timers.after(claimMs, () => expiry.abort());
    try {
      const settlement = await work(claimed, expiry.signal);
      const isMine = settlement === undefined || (await claims.settle(claimed, settlement));
      this.#metrics.ended(isMine ? 'settled' : 'lost');
      if (!isMine) log.info({ sweep: name }, 'dropped the result of work whose claim was lost');
      if (settlement?.at && settlement.at <= clock.now()) this.#hasMore(claimed.partition);
    } catch (error) {
      this.#metrics.ended('failed');
      log.error({ err: error, sweep: name }, 'work on a due document failed');
    } finally {
      timer.cancel();
    }
  }

  #count(partition: string, change: number): void {
    this.#inProgress += change;
    addTo(this.#partitions, partition, change);
  }

  #hasShare({ document }: Claim<T>): boolean {
    const { tenants } = this.#o;
    return tenants !== undefined && (this.#tenants.get(tenants.of(document)) ?? 0) >= tenants.each;
  }

  #countOfTenant({ document }: Claim<T>, change: number): void {
    const { tenants } = this.#o;
    if (tenants !== undefined) addTo(this.#tenants, tenants.of(document), change);
  }
}

/** Keys with the count 0 have no entry. */
function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
