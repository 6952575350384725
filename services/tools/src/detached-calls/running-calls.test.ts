import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testContext } from '@fairlead/service-kit/testing/context';
import { systemTimers } from '@fairlead/service-kit/timers';
import { expect, test } from 'vitest';
import { MAX_OUTCOME_BYTES, ownerOf } from '../domain/detached-call.ts';
import { callHash } from '../events/call-changes.ts';
import { MemoryCalls } from '../testing/memory-calls.ts';
import { ProcessRunningCalls } from './running-calls.ts';

const ctx = testContext();
const name = { ...ownerOf(ctx, 's'), callId: 'call_1' };

async function setUp(write: (settled: object) => Uint8Array = () => Buffer.from('end')) {
  const calls = new MemoryCalls();
  const { log, lines } = captureLog();
  const running = new ProcessRunningCalls({
    calls,
    changes: { announce: () => undefined },
    timers: systemTimers,
    log,
    graceMs: 10,
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  const call = running.begin({
    name,
    run: (given) => {
      signal = given;
      return promise;
    },
    encode: (settled) => ({ outcome: write(settled), isFailed: 'error' in settled }),
  });
  await call.detach((holder, requests) =>
    calls.insert(ctx, { ...name, holder, toolName: 'echo', requests, keptMs: 1 }),
  );
  const endOfCall = () => calls.calls.get(name.callId)?.end;
  return { calls, running, end: resolve, endOfCall, isAborted: () => signal?.aborted, lines };
}

test('a call that was cancelled is aborted by the process that runs it', async () => {
  const { running, isAborted } = await setUp();
  running.cancel(callHash('call_2'));
  expect(isAborted()).toBe(false);
  running.cancel(callHash('call_1'));
  expect(isAborted()).toBe(true);
  await running.close();
});

test('a process that stops waits for its calls, and nobody knows the outcome of the others', async () => {
  const ending = await setUp();
  const closing = ending.running.close();
  ending.end();
  await closing;
  expect(ending.endOfCall()).toMatchObject({ kind: 'outcome' });
  const stuck = await setUp();
  await stuck.running.close();
  expect(stuck.endOfCall()).toEqual({ kind: 'lost' });
});

test('an end that cannot be stored is tried again', async () => {
  const { calls, running, end, endOfCall, lines } = await setUp();
  calls.isAway = true;
  end();
  await expect.poll(() => lines()).toHaveLength(1);
  calls.isAway = false;
  await running.close();
  expect(endOfCall()).toMatchObject({ kind: 'outcome' });
});

test('an outcome that is too large is replaced by an error', async () => {
  const large = Buffer.alloc(MAX_OUTCOME_BYTES + 1);
  const { running, end, endOfCall } = await setUp((settled) =>
    'error' in settled ? Buffer.from(String(settled.error)) : large,
  );
  end();
  await running.close();
  expect(String(Reflect.get(Object(endOfCall()), 'outcome'))).toContain('above 12 MiB');
});

test('a call that cannot be stored ends nothing but itself', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const { running } = await setUp();
  const call = running.begin({
    name: { ...name, callId: 'call_2' },
    run: () => Promise.resolve(),
    encode: () => ({ outcome: Buffer.from('end'), isFailed: false }),
  });
  await expect(call.detach(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  await running.close();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
