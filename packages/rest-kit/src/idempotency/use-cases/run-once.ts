import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@fairlead/errors/api-error';
import { guid } from '@fairlead/service-kit/ids';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { IdempotentCall, StoredResponse } from '../domain/call.ts';
import type { KeyLock } from '../domain/record.ts';
import { slotOf } from '../domain/slot.ts';
import type { Slot } from '../domain/slot.ts';
import type { Idempotency } from '../idempotency.ts';
import type { AnswerCodec } from '../ports/answer-codec.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
export interface RunOnceDeps {
  readonly store: IdempotencyStore;
  readonly codec: AnswerCodec;
  readonly log: Logger;
  /** Pause between two attempts to write a response. Default: 1 s. */
  readonly retryMs?: number;
}

/** Time by which a lease outlasts its call, so that a call that ends at its deadline still holds the key. */
const LEASE_MARGIN_MS = 15_000;
/** Time after which a response is sent even if it is not yet written. */
const PATIENCE_MS = 2_000;
const RETRY_MS = 1_000;

const outcomes = registry.counter({
  name: 'idempotent_calls_total',
  help: 'Calls with an Idempotency-Key; lost: the answer was sent and could not be written before the lease ended.',
  labels: ['outcome'],
});

/**
 * Runs calls once (rows completion.everywhere.42 to 50). Before anything is executed, the call acquires its key by a
 * write to the store, which only one replica wins; while the store is unavailable, the call is refused. The call holds
 * the key until its response is written, or for its time limit plus 15 s; then it counts as crashed, and the next call
 * runs. The response of an executed call is sent even if it cannot be written: the key then stays in
 * progress, and writing is retried until the lease ends. A call can run twice only if the store is unavailable for
 * that whole time.
 */
export function createIdempotentRunner({ store, codec, log, retryMs = RETRY_MS }: RunOnceDeps): Idempotency {
  const pending = new Set<Promise<unknown>>();

  /** Returns `work`, and lets `drain` wait for it. */
  function tracked<T>(work: Promise<T>): Promise<T> {
    const settled = Promise.allSettled([work]);
    pending.add(settled);
    void settled.then(() => pending.delete(settled));
    return work;
  }

  /** The response stored under the key, or undefined if the call has acquired the key. */
  async function take(slot: Slot, lock: KeyLock): Promise<StoredResponse | undefined> {
    const standing = await store.acquire(slot.id, lock).catch((error: unknown) => {
      // The write may have succeeded although its acknowledgement was lost.
      void tracked(release(slot, lock.lockId));
      throw error;
    });
    if (standing === undefined) return undefined;
    if (standing.fingerprint !== lock.fingerprint)
      throw new ApiError(
        'IDEMPOTENCY_CONFLICT',
        'This Idempotency-Key was used with another body. Send a new one for another call.',
      );
    if (standing.kind === 'kept') return codec.openAnswer(slot, standing.lockId, standing.answer);
    if (await store.takeOver(slot.id, standing.lockId, lock)) return undefined;
    throw new ApiError(
      'IDEMPOTENCY_IN_PROGRESS',
      'The first call with this Idempotency-Key is still running.',
    );
  }

  async function release(slot: Slot, lockId: string): Promise<void> {
    try {
      await store.release(slot.id, lockId);
    } catch (error) {
      log.warn({ err: error }, 'an idempotency key stays in progress until its lease ends');
    }
  }

  async function keep(slot: Slot, lockId: string, answer: StoredResponse, leaseEnd: number): Promise<void> {
    for (;;) {
      try {
        const stored = await codec.sealAnswer(slot, lockId, answer);
        const isKept = await store.keep(slot.id, lockId, stored);
        outcomes.series(isKept ? 'kept' : 'lost').add();
        if (!isKept) log.error('a call outlived the lease of its idempotency key');
        return;
      } catch (error) {
        if (performance.now() + retryMs > leaseEnd) {
          outcomes.series('lost').add();
          log.error({ err: error }, 'the answer of an idempotency key was lost');
          return;
        }
        log.warn({ err: error }, 'the answer of an idempotency key is not written yet');
      }
      await delay(retryMs);
    }
  }

  async function execute(
    slot: Slot,
    lock: KeyLock,
    leaseEnd: number,
    work: () => Promise<StoredResponse>,
  ): Promise<StoredResponse> {
    let answer: StoredResponse;
    try {
      answer = await work();
    } catch (thrown) {
      outcomes.series('released').add();
      await release(slot, lock.lockId);
      throw thrown;
    }
    const timer = new AbortController();
    const patience = delay(PATIENCE_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([tracked(keep(slot, lock.lockId, answer, leaseEnd)), patience]);
    timer.abort();
    return answer;
  }

  async function runOnce(
    call: IdempotentCall,
    work: () => Promise<StoredResponse>,
  ): Promise<{ readonly answer: StoredResponse; readonly isReplayed: boolean }> {
    const slot = slotOf(call);
    const lockId = guid();
    const leaseMs = call.timeoutMs + LEASE_MARGIN_MS;
    const leaseEnd = performance.now() + leaseMs;
    const fingerprint = await codec.fingerprint(slot, call.body);
    const lock: KeyLock = { lockId, accountId: slot.accountId, fingerprint, leaseMs };
    const kept = await take(slot, lock);
    if (kept === undefined) return { answer: await execute(slot, lock, leaseEnd, work), isReplayed: false };
    outcomes.series('replayed').add();
    return { answer: kept, isReplayed: true };
  }

  return {
    run: (call, work) => tracked(runOnce(call, work)),
    async drain(graceMs) {
      const timer = new AbortController();
      const grace = delay(graceMs, undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([Promise.all(pending), grace]);
      timer.abort();
    },
  };
}
