import type { Document } from 'mongodb';
import type { Clock } from '../clock.ts';
import type { RepeatedWork } from '../lifecycle/background.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Timers } from '../timers.ts';
import type { Claim, Claims, Settlement, Turn } from './claims.ts';
import { sweepMetrics } from './metrics.ts';
import type { Pace } from './pace.ts';

/** A sweep: what it claims, what it does with it, and its limits in this process. */
export interface SweepOptions<T extends Document> {
  /** For the log and as a label of metrics. */
  readonly name: string;
  readonly claims: Claims<T>;
  /**
   * Works on one claimed document; `signal` aborts when the claim expires. Returns what becomes of it; undefined if the work
   * itself has written that. If it throws, the document is claimed again once the claim has expired.
   */
  readonly work: (claimed: Claim<T>, signal: AbortSignal) => Promise<Settlement | undefined>;
  /** When work on the documents of a partition may begin. Default: at once. */
  readonly pace?: Pace;
  /** Most documents in progress of one partition, and of all. */
  readonly perPartition: number;
  readonly inProgress: number;
  /** The tenant of a document, and the most documents of a tenant in progress, in all its partitions together. Default: no such limit. */
  readonly tenants?: { readonly of: (document: T) => string; readonly each: number };
  /**
   * Documents beyond these bounds, and those that are settled as due at once, are claimed as soon as work on others has ended.
   * Default: at the next look.
   */
  readonly goesOn?: boolean;
  /** Longer than the work on one document takes. */
  readonly claimMs: number;
  /** The pause between two looks while nothing is due; while something is, a second at most. Default 5 000. */
  readonly idleMs?: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** The pause between two looks for due documents while there are some, and otherwise. */
const BUSY_MS = 1_000;
const IDLE_MS = 5_000;
/** Claims under way at a time: each takes a few operations of the database. */
const CLAIMS_AT_ONCE = 10;
/** Partitions of one claim, where there are many. */
const PARTITIONS_PER_CLAIM = 50;
/** Partitions that one look considers. */
const MAX_PARTITIONS = 10_000;

/** How long documents of a tenant wait that has as many in progress as it may: meanwhile those of others come first. */
const DEFERRED_MS = 5_000;

/** How far ahead of its start a sweep claims a document; no pace plans further. */
export const SWEEP_AHEAD_MS = BUSY_MS;

/**
 * Works on due documents in the background, on as many replicas as there are: each document is claimed by one of them, and
 * what a holder does after its claim was taken is not settled. A partition has its own bound, so one that is slow takes
 * no other's turn, and within its bounds the longest overdue partition and document come first. Documents of a tenant that has its share in progress
 * are put off for some seconds. Closing it begins no more work,
 * releases what was claimed and not begun, and waits for the rest. Waking it has it look for due documents at once, as for those
 * that this process has just made due.
 */
export function startSweep<T extends Document>(o: SweepOptions<T>): RepeatedWork {
  const sweep = new Sweep(o);
  return { wake: () => sweep.wake(), close: () => sweep.close() };
}

class Sweep<T extends Document> {
  readonly #o: SweepOptions<T>;
  readonly #metrics: ReturnType<typeof sweepMetrics>;
  /** How many documents of each partition are in progress; partitions without any have no entry. */
  readonly #partitions = new Map<string, number>();
  /** The same of each tenant. */
  readonly #tenants = new Map<string, number>();
  /** Claimed documents whose start has not come, each with the cancellation of its timer. */
  readonly #waiting = new Map<Claim<T>, () => void>();
  readonly #running = new Set<Promise<void>>();
  /** Partitions that may have due documents which nobody has claimed, in the order of their turns. */
  readonly #backlog = new Set<string>();
  readonly #claimers = new Set<Promise<void>>();
  #inProgress = 0;
  #isClosed = false;
  #isFailing = false;
  #look: Promise<void>;
  /** Undefined while it looks. */
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

  /** Claims what is due as far as there is room; returns whether anything was due. */
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

  /** A partition has due documents that nobody has claimed. */
  #hasMore(partition: string): void {
    if (this.#o.goesOn) this.#backlog.add(partition);
  }

  /** Gives partitions of the backlog the permits that are free, as one claim if several have become so together. */
  #goOn(): void {
    if (!this.#o.goesOn || this.#backlog.size === 0 || this.#claimers.size >= CLAIMS_AT_ONCE) return;
    const claiming = this.#claimBacklog().finally(() => this.#claimers.delete(claiming));
    this.#claimers.add(claiming);
  }

  async #claimBacklog(): Promise<void> {
    try {
      // Work that ends in this turn frees its permits first.
      await Promise.resolve();
      while ((await this.#claimTurns()) > 0);
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  /** Claims documents of the partitions whose turn it is; of how many. */
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
   * Takes the next partitions that have room out of the backlog, with permits for each. Concurrent claims share partitions and permits. Takes
   * one partition only if a pace is asked about it, or if documents beyond its permits would wait for the next look.
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

  /** The documents of these turns that may begin, and when. */
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

/** Keys whose count is 0 have no entry. */
function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
