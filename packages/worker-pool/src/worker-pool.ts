import { FairQueue } from '@fairlead/service-kit/collections/fair-queue';
import type { QueueEntry } from '@fairlead/service-kit/collections/fair-queue';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { CallGroups } from './call-groups.ts';
import type { JobListener } from './call-messages.ts';
import { PoolRefusalError } from './errors.ts';
import type { LossReason, RefusalReason } from './errors.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { PoolLimits } from './limits.ts';
import { LossRecord } from './loss-record.ts';
import { recordCall, recordLoss, recordStart, watchPool } from './metrics.ts';
import { createPoolCall } from './pool-call.ts';
import type { PoolCall } from './pool-call.ts';
import { Reaper } from './reaper.ts';
import { spawnWorker } from './spawn-worker.ts';
import { TICK_MS, WorkerProcess } from './worker-process.ts';
import type { CallGroup } from './call-group.ts';

/** The time limit of a call, including its wait, and the caller's cancellation. */
interface RunOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /**
   * Processor time after which the worker is killed, checked every 100 ms; only in a pool with `callsPerWorker: 1`. A
   * busy machine does not shorten it. Default: no limit.
   */
  readonly cpuMs?: number;
  /**
   * Whether the account comes closer to its quarantine if the job exceeds a limit of processor time or memory, which ends the worker.
   * Default: yes.
   */
  readonly excessCounts?: boolean;
  /** Masks the job's secrets in its worker's log lines. Default: no secrets. */
  readonly mask?: (text: string) => string;
  /**
   * Called when the job asks whether it may continue (JobOptions.ask). If it rejects, is absent, or the call has
   * ended, the job may not.
   */
  readonly onAsk?: (() => Promise<boolean>) | undefined;
  /** Receives the job's messages and questions (JobOptions.tell and question) until the call ends. Default: they are dropped. */
  readonly listener?: JobListener | undefined;
  /** The call's group; its calls go to one worker. Default: any worker. */
  readonly group?: CallGroup | undefined;
}

/** Worker processes for work that an account supplies or controls. */
export interface WorkerPool {
  /**
   * Runs a job in a worker of this account and returns its result, which comes from a process that may be compromised:
   * check the shape of JSON, and the content of bytes. `job` is JSON or JsonWithBytes;
   * a LazyJson in it is not parsed here. Rejects with
   * - PoolRefusalError: nothing was executed;
   * - WorkerLostError: the worker ended, or the job did not end soon after its time was over or the caller cancelled;
   *   `wasStarted` tells whether the outcome is unknown;
   * - JobDefectError: the job threw.
   */
  run(account: string, job: unknown, o: RunOptions): Promise<unknown>;
  /** Refuses waiting calls, lets running calls end within `graceMs` (default: 0), then kills all workers. */
  close(graceMs?: number): Promise<void>;
}

/** The program of a pool's workers, its settings, and the limits. */
interface PoolOptions {
  /** The pool's name in metrics and logs. */
  readonly name: string;
  /** The module that workers run; it calls `serveJobs`. */
  readonly entry: URL;
  /** JSON that each worker gets before its first job: configuration, without any account's secrets. */
  readonly settings: unknown;
  readonly log: Logger;
  readonly limits?: Partial<PoolLimits>;
  /** Folders outside of the program whose files the workers may read. Default: none. */
  readonly readable?: readonly string[] | undefined;
  /** Called with the processor time of each worker as it is used, including its start. */
  readonly onCpu?: ((account: string, cpuMs: number) => void) | undefined;
  /** The owner of an account: an owner's accounts together have at most half of the workers. Default: each account is its own owner. */
  readonly ownerOf?: ((account: string) => string) | undefined;
}

/**
 * Creates a pool without workers. A worker starts when a call needs it, serves one account until it ends, and ends when
 * it is idle, when an account without a worker needs its place, or when it passes a limit. It is a process, because
 * nothing less can be killed while it spins and limits memory outside of the heap.
 *
 * Calls of an account go to its workers, as many as its share allows. Others wait, the accounts in turn. If every place
 * is taken, the account with the most workers, or the one that has had its worker longest, gives one up as soon as that
 * worker's calls have ended.
 */
export function createWorkerPool(o: PoolOptions): WorkerPool {
  return new Pool(o);
}

class Pool implements WorkerPool {
  readonly #o: PoolOptions;
  readonly #limits: PoolLimits;
  readonly #halfOfWorkers: number;
  readonly #workersPerAccount: number;
  readonly #settings: string;
  /** Lists a worker until its process is gone. */
  readonly #workers = new Set<WorkerProcess>();
  readonly #assigned = new Map<PoolCall, WorkerProcess>();
  /** By account. */
  readonly #line = new FairQueue<PoolCall>();
  readonly #groups = new CallGroups();
  readonly #losses: LossRecord;
  readonly #reaper: Reaper;
  readonly #unwatch: () => void;
  #lastId = 0;
  #ticker: NodeJS.Timeout | undefined;
  #isClosed = false;
  #onGone = Promise.withResolvers<void>();

  constructor(o: PoolOptions) {
    this.#o = o;
    this.#limits = { ...DEFAULT_LIMITS, ...o.limits };
    const { workersPerAccount, maxWorkers } = this.#limits;
    this.#halfOfWorkers = Math.max(1, Math.floor(maxWorkers / 2));
    this.#workersPerAccount = Math.min(workersPerAccount, this.#halfOfWorkers);
    this.#settings = JSON.stringify(o.settings);
    this.#losses = new LossRecord(this.#limits.lossesPerMinute);
    this.#reaper = new Reaper(o.log);
    this.#unwatch = watchPool({
      workerCount: () => this.#live().length,
      waitingCount: () => this.#line.size,
    });
  }

  async run(
    account: string,
    job: unknown,
    { signal, timeoutMs, cpuMs, excessCounts, mask = unmasked, onAsk, listener, group }: RunOptions,
  ): Promise<unknown> {
    this.#lastId = (this.#lastId % 0xffff_ffff) + 1;
    const { call, result } = createPoolCall({
      id: this.#lastId,
      account,
      group,
      job,
      timeoutMs,
      cpuMs,
      excessCounts,
      mask,
      onAsk,
      listener,
      onEnd: (outcome) => {
        recordCall(this.#o.name, outcome);
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#assigned.delete(call);
        this.#groups.end(call, performance.now());
      },
    });
    let entry: QueueEntry<PoolCall> | undefined;
    const abort = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#giveUp(call, entry);
    };
    const expire = (): void => {
      const leftMs = call.leftMs();
      // A timer fires early by the time for which the event loop was blocked before the timer was set.
      if (leftMs > 0) timer = setTimeout(expire, Math.ceil(leftMs));
      else abort();
    };
    let timer = setTimeout(expire, timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) call.fail(new PoolRefusalError('busy'));
    else entry = this.#admit(call);
    return result;
  }

  async close(graceMs = 0): Promise<void> {
    this.#isClosed = true;
    for (const call of this.#line.drain()) call.fail(new PoolRefusalError('closed'));
    for (const worker of this.#workers) {
      worker.isRetiring = true;
      if (worker.callCount === 0) worker.kill('ended');
    }
    const limit = setTimeout(() => {
      for (const worker of this.#workers) worker.kill('closed');
    }, graceMs);
    while (this.#workers.size > 0) await this.#onGone.promise;
    clearTimeout(limit);
    clearInterval(this.#ticker);
    this.#reaper.close();
    this.#unwatch();
  }

  #admit(call: PoolCall): QueueEntry<PoolCall> | undefined {
    const refusal = this.#refusalOf(call);
    if (refusal !== undefined) {
      call.fail(new PoolRefusalError(refusal));
      return undefined;
    }
    const entry = this.#line.add(call.account, call, call.bytes);
    this.#dispatch();
    return entry;
  }

  #refusalOf(call: PoolCall): RefusalReason | undefined {
    if (this.#isClosed) return 'closed';
    if (call.bytes > this.#limits.jobBytes) return 'tooLarge';
    if (this.#losses.isQuarantined(call.account, performance.now())) return 'quarantined';
    const isFull =
      this.#line.sizeOf(call.account) >= this.#limits.waitingPerAccount ||
      this.#line.bytesOf(call.account) + call.bytes > this.#limits.waitingBytesPerAccount ||
      this.#line.size >= this.#limits.maxWaiting;
    return isFull ? 'queueFull' : undefined;
  }

  /** The call's time is over, or its caller cancelled. */
  #giveUp(call: PoolCall, entry: QueueEntry<PoolCall> | undefined): void {
    if (entry !== undefined && this.#line.remove(entry)) call.fail(new PoolRefusalError('busy'));
    else this.#assigned.get(call)?.cancel(call);
  }

  /** Assigns waiting calls to workers. */
  #dispatch(): void {
    if (this.#line.size === 0 || this.#isClosed) return;
    this.#line.offer((call) => {
      if (this.#losses.isQuarantined(call.account, performance.now())) {
        call.fail(new PoolRefusalError('quarantined'));
        return 'taken';
      }
      const home = this.#groups.homeOf(call);
      const hasRoomAtHome = home?.worker.hasRoom(call.bytes) === true;
      const limit = call.group?.limit;
      if (home !== undefined && limit !== undefined && (home.running >= limit || !hasRoomAtHome))
        return 'nextItem';
      const worker = hasRoomAtHome ? home?.worker : this.#workerFor(call);
      if (worker === undefined) return 'nextKey';
      this.#assigned.set(call, worker);
      this.#groups.start(call, worker);
      worker.take(call);
      return 'taken';
    });
    if (this.#line.size > 0) this.#makePlace();
  }

  /** A worker with room for the call, started if necessary; undefined if the call has to wait. */
  #workerFor(call: PoolCall): WorkerProcess | undefined {
    const live = this.#live();
    const own = live.filter(({ account }) => account === call.account);
    const leastBusy = (isLast: boolean): WorkerProcess | undefined =>
      own
        .filter((worker) => worker.hasRoom(call.bytes, isLast))
        .toSorted((a, b) => a.callCount - b.callCount)[0];
    const free = leastBusy(false);
    if (free !== undefined) return free;
    if (own.length >= this.#workersPerAccount) return leastBusy(true);
    const owner = this.#ownerOf(call.account);
    const relatives = live.filter(({ account }) => this.#ownerOf(account) === owner);
    if (relatives.length >= this.#halfOfWorkers) {
      const idle = relatives.find(({ account, callCount }) => callCount === 0 && account !== call.account);
      if (idle === undefined) return leastBusy(true);
      idle.kill('ended');
    } else if (live.length >= this.#limits.maxWorkers) {
      const idle = live.find(({ callCount }) => callCount === 0);
      if (idle === undefined) return leastBusy(true);
      idle.kill('ended');
    }
    return this.#start(call.account);
  }

  #start(account: string): WorkerProcess | undefined {
    try {
      const worker = new WorkerProcess({
        account,
        spawn: () => spawnWorker(this.#o.entry, this.#limits.heapMb, this.#o.readable),
        settings: this.#settings,
        limits: this.#limits,
        log: this.#o.log,
        events: {
          ready: (startMs) => recordStart(this.#o.name, startMs),
          callEnded: () => this.#dispatch(),
          used: (cpuMs) => this.#o.onCpu?.(account, cpuMs),
          gone: (gone, reason, calls) => this.#forget(gone, reason, calls),
        },
      });
      this.#workers.add(worker);
      this.#watch();
      this.#ticker ??= setInterval(() => this.#tick(), TICK_MS).unref();
      return worker;
    } catch (error) {
      this.#o.log.error({ err: error, pool: this.#o.name }, 'a worker could not be started');
      return undefined;
    }
  }

  /** Retires workers of other accounts for waiting accounts without a worker, as many as their owners may still have. */
  #makePlace(): void {
    const live = this.#live();
    if (live.length < this.#limits.maxWorkers) return;
    const counts = countOf(live.map(({ account }) => account));
    const owners = countOf(live.map(({ account }) => this.#ownerOf(account)));
    const waiting = this.#line.keys().filter((account) => !counts.has(account));
    let without = 0;
    for (const [owner, count] of countOf(waiting.map((account) => this.#ownerOf(account))))
      without += Math.min(count, Math.max(0, this.#halfOfWorkers - (owners.get(owner) ?? 0)));
    const retiring = live.filter(({ isRetiring }) => isRetiring).length;
    for (let missing = without - retiring; missing > 0; missing -= 1) {
      const now = performance.now();
      const [worker] = live
        .filter(
          ({ account, isRetiring, startedAt }) =>
            !isRetiring && ((counts.get(account) ?? 0) > 1 || now - startedAt > this.#limits.sliceMs),
        )
        .toSorted(
          (a, b) => (counts.get(b.account) ?? 0) - (counts.get(a.account) ?? 0) || a.startedAt - b.startedAt,
        );
      if (worker === undefined) return;
      worker.isRetiring = true;
      counts.set(worker.account, (counts.get(worker.account) ?? 0) - 1);
    }
  }

  #ownerOf(account: string): string {
    return this.#o.ownerOf?.(account) ?? account;
  }

  /** The workers that were not killed. */
  #live(): WorkerProcess[] {
    return [...this.#workers].filter(({ isLost }) => !isLost);
  }

  #forget(worker: WorkerProcess, reason: LossReason | 'ended', calls: readonly PoolCall[]): void {
    this.#workers.delete(worker);
    this.#watch();
    if (reason !== 'ended' && reason !== 'closed') {
      const isExcess = reason === 'cpu' || reason === 'memory';
      if (!isExcess || calls.every(({ excessCounts }) => excessCounts))
        this.#losses.add(worker.account, reason, performance.now());
      recordLoss(this.#o.name, reason);
      this.#o.log.warn({ pool: this.#o.name, reason }, 'a worker was lost');
    }
    this.#onGone.resolve();
    this.#onGone = Promise.withResolvers();
    this.#dispatch();
  }

  #watch(): void {
    this.#reaper.watch([...this.#workers].flatMap(({ pid }) => pid ?? []));
  }

  #tick(): void {
    for (const worker of this.#workers) worker.tick();
    this.#losses.sweep(performance.now());
    this.#groups.sweep(performance.now(), this.#limits.idleMs);
    // By now, accounts may have had their workers for the minimum time.
    this.#dispatch();
    if (this.#workers.size > 0 || this.#line.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }
}

/** How often each text occurs. */
function countOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/**
 * Created outside of the call's function, whose variables it would otherwise keep in memory: the masker outlives the
 * call, for late log lines.
 */
function unmasked(text: string): string {
  return text;
}
