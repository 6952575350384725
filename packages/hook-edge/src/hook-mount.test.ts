import { create } from '@bufbuild/protobuf';
import {
  CaptureCallsResponseSchema,
  ResolveHookResponseSchema,
} from '@fairlead/contracts/triggers/v1/hook_service_pb';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import type { Budgets } from '@fairlead/access/budgets';
import { createInProgress, IN_PROGRESS_LIMITS } from '@fairlead/rest-kit/in-progress';
import { createLargeBodies } from '@fairlead/rest-kit/large-bodies';
import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import { ManualClock } from '@fairlead/service-kit/clock';
import { recordSpans } from '@fairlead/service-kit/testing/recording-tracer';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { callHttp, startHttpService } from '@fairlead/service-kit/testing/http';
import type { Answer } from '@fairlead/service-kit/testing/http';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { systemTimers } from '@fairlead/service-kit/timers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHooks } from './hook-mount.ts';

const PATIENCE = { timeout: 90_000, interval: 10 };
/** A path with a known token. */
const HOOK = '/hooks/a';
const BODY = 'call';

/** Calls are captured one at a time, when the test says so; the queue has the given limits. */
async function setUp({ waitingItems = 100, waitingBytes = 1_000, itemsPerBatch = 1 } = {}) {
  const clock = new ManualClock(new Date('2026-11-23T10:00:00.000Z'));
  const gate = Promise.withResolvers<void>();
  let taken = 0;
  const requests: (readonly (string | undefined)[])[] = [];
  const captured: (readonly string[] | undefined)[] = [];
  const state = { isOpen: true };
  let announce: (accountId: string | undefined) => void = () => undefined;
  let session: number | undefined = 1;
  const caches = createChangeCaches({
    clock,
    subscribe(onChange) {
      announce = onChange;
      return { session: () => session };
    },
    // Caches accounts like the gateway does for identity.
    freshMs: 30_000,
    uncertainMs: 2_000,
    announcedMs: 30_000,
    awayMs: 600_000,
    maxEntries: 10,
  });
  const budgets = caches.open<Budgets | undefined>((found, accountId) =>
    found === undefined ? undefined : accountId,
  );
  const largeBodies = createLargeBodies();
  const hooks = createHooks({
    hooks: {
      resolveHook: () =>
        Promise.resolve(create(ResolveHookResponseSchema, { triggerId: 'trg_1', accountId: 'acc_1' })),
      async captureCalls(_ctx, { calls = [] }) {
        taken += calls.length;
        requests.push(calls.map(({ traceparent }) => traceparent));
        captured.push(...calls.map(({ headers }) => headers));
        await gate.promise;
        const outcome = { case: 'eventId', value: 'te_1' } as const;
        return create(CaptureCallsResponseSchema, { results: calls.map(() => ({ outcome })) });
      },
      captureLargeCall: () => Promise.reject(new Error('No body of these tests is large.')),
    },
    findBudgets: (accountId) =>
      budgets.get(accountId, () => Promise.resolve(state.isOpen ? DEFAULT_BUDGETS : undefined)),
    limits: { admitHook: () => true },
    inProgress: createInProgress(IN_PROGRESS_LIMITS),
    largeBodies,
    clock,
    timers: systemTimers,
    log: captureLog().log,
    timeoutMs: 60_000,
    queue: {
      itemsPerBatch,
      bytesPerBatch: 1_000,
      waitingItems,
      waitingBytes,
      batches: 1,
      slowMs: Number.POSITIVE_INFINITY,
    },
  });
  const service = await startHttpService({ mounts: [hooks.mount] });
  onTestFinished(async () => {
    gate.resolve();
    await hooks.drain();
    largeBodies.close();
    await service.close();
  });
  const answers: Answer[] = [];
  const call = async (headers: Record<string, string> = {}): Promise<Answer> => {
    const answer = await callHttp(service, 'POST', HOOK, { body: BODY, headers });
    answers.push(answer);
    return answer;
  };
  return {
    call,
    /** The received answers, in order. */
    answers,
    /** Number of calls sent to triggers. */
    taken: () => taken,
    /** The traces of the calls in each request to triggers. */
    requests,
    /** Alternating names and values of the headers of each call sent to triggers. */
    captured,
    clock,
    /** Lets all calls be captured. */
    capture: () => gate.resolve(),
    /** Closes the account; the gateway is notified only if it is `announced`. */
    close: ({ isAnnounced }: { readonly isAnnounced: boolean }): void => {
      state.isOpen = false;
      if (isAnnounced) announce('acc_1');
      else session = undefined;
    },
  };
}

function refusals(): number {
  return Number(/^hook_queue_full_total (\d+)$/m.exec(registry.render())?.[1]);
}

describe('a queue of calls', () => {
  test.each([
    ['calls', { waitingItems: 2 }],
    ['bytes', { waitingBytes: 2 * BODY.length }],
  ])(
    'that is full of %s refuses more with 503 and Retry-After, and counts them; those that wait are taken',
    async (_of, bounds) => {
      const before = refusals();
      const { call, answers, taken, capture } = await setUp(bounds);
      const first = call();
      await vi.waitUntil(() => taken() === 1, PATIENCE);
      const others = Array.from({ length: 5 }, () => call());
      await vi.waitUntil(() => answers.length === 3, PATIENCE);
      for (const { status, headers, body } of answers) {
        expect([status, body['errorCode']]).toEqual([503, 'UNAVAILABLE']);
        expect(headers.get('retry-after')).toBe('1');
      }
      expect(refusals() - before).toBe(3);
      expect(taken()).toBe(1);
      capture();
      const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
      expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 202, 202, 503, 503, 503]);
      expect(taken()).toBe(3);
      expect(refusals() - before).toBe(3);
    },
  );
});

test('calls that share a request to triggers each go with the trace of their own', async () => {
  const { spans, stop } = recordSpans();
  onTestFinished(stop);
  const { call, requests, capture, taken } = await setUp({ itemsPerBatch: 10 });
  const first = call();
  await vi.waitUntil(() => taken() === 1, PATIENCE);
  const others = Array.from({ length: 3 }, () => call());
  await vi.waitUntil(() => spans.length === 4, PATIENCE);
  capture();
  await Promise.all([first, ...others]);
  expect(requests[0]).toHaveLength(1);
  expect(taken()).toBe(4);
  expect(new Set(requests.flat())).toEqual(
    new Set(spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)),
  );
});

describe('an account that is erased', () => {
  test('takes no call from when its closing is announced', async () => {
    const { call, capture, close } = await setUp();
    capture();
    expect((await call()).status).toBe(202);
    close({ isAnnounced: true });
    expect((await call()).status).toBe(404);
  });

  test('takes no call two seconds later, where the announcement was missed', async () => {
    const { call, capture, close, clock } = await setUp();
    capture();
    expect((await call()).status).toBe(202);
    close({ isAnnounced: false });
    clock.advance(1_999);
    expect((await call()).status).toBe(202);
    clock.advance(1);
    expect((await call()).status).toBe(404);
  });
});

test('headers that choose a canary, and the operator’s key, are no part of a call', async () => {
  const { call, capture, captured } = await setUp();
  capture();
  await call({ 'X-Canary-Tools': 'true', 'X-Operator-Key': 'k', 'X-Sender': 'x-canary-tools' });
  expect(captured).toHaveLength(1);
  expect(captured[0]).toEqual(expect.arrayContaining(['X-Sender', 'x-canary-tools']));
  for (const name of ['X-Canary-Tools', 'X-Operator-Key']) expect(captured[0]).not.toContain(name);
});
