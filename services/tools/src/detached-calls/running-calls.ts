import { ApiError } from '@fairlead/errors/api-error';
import { guid } from '@fairlead/service-kit/ids';
import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import type { CallEnd, CallName, CallOutcome, PendingRequest } from '../domain/detached-call.ts';
import { MAX_OUTCOME_BYTES } from '../domain/detached-call.ts';
import { callHash } from '../events/call-changes.ts';
import type { RunningCallStore } from '../ports/detached-calls.ts';
import type {
  CallChanges,
  CallControl,
  RunningCall,
  RunningCalls,
  CallSettlement,
} from '../ports/running-calls.ts';
import { waitFor } from './wait-for.ts';

const BEAT_MS = 5_000;
/** Longer than several heartbeats, because a busy process is not dead. */
const ALIVE_MS = 30_000;

/** A call whose changes this process stores. */
interface CallEntry {
  readonly name: CallName;
  readonly abort: () => void;
  /** The call's outcome, until it is stored. */
  end: CallEnd | undefined;
  /** Resolves once the outcome is stored. */
  readonly stored: PromiseWithResolvers<void>;
  /** The last write; changes are written in order. */
  writes: Promise<void>;
}

/** The dependencies of {@link ProcessRunningCalls}. */
export interface ProcessRunningCallsDeps {
  readonly calls: RunningCallStore;
  readonly changes: Pick<CallChanges, 'announce'>;
  readonly timers: Timers;
  readonly log: Logger;
  /** How long close() waits for running calls. */
  readonly graceMs: number;
}

/** The calls that run in this process. It sends heartbeats while it has stored calls. */
export class ProcessRunningCalls implements RunningCalls {
  readonly #o: ProcessRunningCallsDeps;
  readonly #holder = guid();
  /** By hash of the call id. */
  readonly #held = new Map<string, CallEntry>();
  readonly #beats;
  #beatAt = Number.NEGATIVE_INFINITY;

  constructor(o: ProcessRunningCallsDeps) {
    this.#o = o;
    const work = async (): Promise<void> => this.#checkHeld();
    this.#beats = repeatInBackground({ name: 'detached-calls', everyMs: BEAT_MS, log: o.log, work });
  }

  begin<R>({
    name,
    run,
    encode,
  }: {
    readonly name: CallName;
    readonly run: (signal: AbortSignal, control: CallControl) => Promise<R>;
    readonly encode: (settled: CallSettlement<R>) => CallOutcome;
  }): RunningCall<R> {
    const controller = new AbortController();
    const abort = (): void => controller.abort(new DOMException('The call was cancelled.', 'AbortError'));
    const pending = new Map<string, PendingRequest>();
    const attention = Promise.withResolvers<void>();
    let entry: CallEntry | undefined;
    let isDetached = false;
    let settled: CallSettlement<R> | undefined;
    const store = (write: () => Promise<void>): void => {
      if (entry !== undefined) this.#store(entry, write);
    };
    const { calls, timers } = this.#o;
    const control: CallControl = {
      async ask(request, answer) {
        const { key } = request;
        pending.set(key, request);
        store(() => calls.addRequest(name, request));
        attention.resolve();
        try {
          return await answer;
        } finally {
          pending.delete(key);
          store(() => calls.removeRequest(name, key));
        }
      },
      hurry: () => attention.resolve(),
    };
    const ended = run(controller.signal, control).then(
      (result) => void (settled = { result }),
      (error: unknown) => void (settled = { error }),
    );
    return {
      settled: () => settled,
      isDetached: () => isDetached,
      pause: (ms, signal) => waitFor(Promise.race([ended, attention.promise]), { ms, signal, timers }),
      abort,
      detach: async (insert) => {
        await this.#beatIfDue();
        const inserting = insert(this.#holder, [...pending.values()]);
        // Later changes are written after the call itself.
        const own: CallEntry = {
          name,
          abort,
          end: undefined,
          // A failure is thrown below.
          writes: inserting.then(
            () => undefined,
            () => undefined,
          ),
          stored: Promise.withResolvers<void>(),
        };
        entry = own;
        const call = await inserting;
        if (call === undefined) return undefined;
        isDetached = true;
        this.#held.set(callHash(name.callId), own);
        void ended.then(() => settled && this.#end(own, { kind: 'outcome', ...bounded(encode, settled) }));
        return call;
      },
    };
  }

  /** Aborts a cancelled call, if it runs in this process. */
  cancel(hash: string): void {
    this.#held.get(hash)?.abort();
  }

  /** Waits for the calls; those that take longer end as `lost`. */
  async close(): Promise<void> {
    const { timers, graceMs } = this.#o;
    const all = Promise.all([...this.#held.values()].map(({ stored }) => stored.promise));
    const never = new AbortController().signal;
    await waitFor(
      all.then(() => undefined),
      { ms: graceMs, signal: never, timers },
    );
    await Promise.all([...this.#held.values()].map((entry) => this.#end(entry, { kind: 'lost' })));
    await this.#beats.close();
  }

  async #beatIfDue(): Promise<void> {
    const now = performance.now();
    if (now - this.#beatAt < BEAT_MS) return;
    await this.#o.calls.beat(this.#holder, ALIVE_MS);
    this.#beatAt = now;
  }

  /** Writes outcomes that could not be written before, and aborts calls whose cancellation message was lost. */
  async #checkHeld(): Promise<void> {
    if (this.#held.size === 0) return;
    await this.#o.calls.beat(this.#holder, ALIVE_MS);
    this.#beatAt = performance.now();
    const byAccount = Map.groupBy(this.#held.values(), ({ name }) => name.accountId);
    for (const [accountId, entries] of byAccount) {
      const open = await this.#o.calls.open(
        accountId,
        entries.map(({ name }) => name.callId),
      );
      for (const call of entries) {
        if (!open.has(call.name.callId)) call.abort();
        if (call.end !== undefined) await this.#end(call, call.end);
      }
    }
  }

  /** Writes a change of a call's requests. If it is lost, a request stays visible until the call ends, and answers to it are ignored. */
  #store(entry: CallEntry, write: () => Promise<void>): void {
    entry.writes = entry.writes.then(write).then(
      () => this.#o.changes.announce(entry.name.callId),
      (error: unknown) =>
        this.#o.log.warn({ err: error }, 'a request of a detached call could not be stored'),
    );
  }

  async #end(entry: CallEntry, end: CallEnd): Promise<void> {
    const { calls, changes, log } = this.#o;
    const { callId } = entry.name;
    entry.end ??= end;
    try {
      await entry.writes;
      await calls.end(entry.name, entry.end);
    } catch (error) {
      log.warn({ err: error }, 'the end of a detached call could not be stored and will be tried again');
      return;
    }
    this.#held.delete(callHash(callId));
    entry.stored.resolve();
    changes.announce(callId);
  }
}

/** The outcome as its caller reads it; an error instead of an outcome that is too large for a document. */
function bounded<R>(
  encode: (settled: CallSettlement<R>) => CallOutcome,
  settled: CallSettlement<R>,
): CallOutcome {
  const encoded = encode(settled);
  return encoded.outcome.length <= MAX_OUTCOME_BYTES ? encoded : encode({ error: tooLarge() });
}

function tooLarge(): ApiError {
  const most = MAX_OUTCOME_BYTES / 1024 / 1024;
  return new ApiError(
    'INTERNAL',
    `The call was executed, but its result is above ${most} MiB and was not kept.`,
  );
}
