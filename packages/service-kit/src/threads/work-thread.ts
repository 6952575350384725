import { Worker } from 'node:worker_threads';
import type { ThreadReply, ThreadRequest } from './thread-messages.ts';

/** A job's result and its processor time. */
interface JobResult<A> {
  readonly answer: A;
  readonly cpuMs: number;
}

/** A thread of this process for work on large values, which would otherwise block the main thread. */
export interface WorkThread<J, A> {
  /**
   * Runs a job after earlier jobs of the same account. Rejects if the job throws, which is a defect, or if the thread
   * ends. `handedOver` are bytes of the job that are transferred instead of copied: each has a buffer of its own, and
   * is empty afterwards.
   */
  run(accountId: string, job: J, handedOver?: readonly Uint8Array<ArrayBuffer>[]): Promise<JobResult<A>>;
  /** Ends the thread; unfinished jobs reject. */
  close(): Promise<void>;
}

/**
 * Idle time after which the thread ends, which releases its heap. Starting it takes 20 ms of processor time beside
 * the main thread.
 */
const IDLE_MS = 2_000;

/**
 * Creates a thread that runs `entry`, which calls serveThread. It starts with the first job. It is for our own code
 * over bounded values: its time and its memory are not limited. Accounts' programs run in
 * packages/worker-pool.
 */
export function createWorkThread<J, A>(entry: URL, idleMs = IDLE_MS): WorkThread<J, A> {
  const waiting = new Map<number, PromiseWithResolvers<JobResult<A>>>();
  /** The last job of each account. */
  const lines = new Map<string, Promise<unknown>>();
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start(): Worker {
    // The thread needs no settings, and gets no secrets.
    const started = new Worker(entry, { env: {} });
    started.unref();
    started.on('message', ({ id, ...reply }: ThreadReply) => {
      const job = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0) idle = setTimeout(() => void end(started), idleMs).unref();
      // The entry returns the result type that `run` declares.
      if ('failure' in reply) job?.reject(reply.failure);
      else job?.resolve({ answer: reply.answer as A, cpuMs: reply.cpuMs });
    });
    started.on('error', (error) => lose(started, error));
    started.on('exit', () => lose(started, new Error('The thread has ended.')));
    return started;
  }

  function lose(lost: Worker, error: unknown): void {
    if (thread !== lost) return;
    thread = undefined;
    const jobs = [...waiting.values()];
    waiting.clear();
    for (const job of jobs) job.reject(error);
  }

  async function end(ended: Worker): Promise<void> {
    lose(ended, new Error('The thread has ended.'));
    await ended.terminate();
  }

  function give(job: J, handedOver: readonly Uint8Array<ArrayBuffer>[]): Promise<JobResult<A>> {
    clearTimeout(idle);
    thread ??= start();
    const result = Promise.withResolvers<JobResult<A>>();
    lastId += 1;
    waiting.set(lastId, result);
    const request: ThreadRequest = { id: lastId, job };
    thread.postMessage(
      request,
      handedOver.map(({ buffer }) => buffer),
    );
    return result.promise;
  }

  return {
    run(accountId, job, handedOver = []) {
      const before = lines.get(accountId);
      const mine = before === undefined ? give(job, handedOver) : before.then(() => give(job, handedOver));
      const settled = mine
        .catch(() => undefined)
        .finally(() => {
          if (lines.get(accountId) === settled) lines.delete(accountId);
        });
      lines.set(accountId, settled);
      return mine;
    },
    async close() {
      clearTimeout(idle);
      if (thread !== undefined) await end(thread);
    },
  };
}
