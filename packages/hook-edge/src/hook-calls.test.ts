import { create } from '@bufbuild/protobuf';
import {
  CaptureCallsResponseSchema,
  CaptureLargeCallResponseSchema,
} from '@fairlead/contracts/triggers/v1/hook_service_pb';
import type { HookResult } from '@fairlead/contracts/triggers/v1/hook_service_pb';
import { LARGE_BODY_BYTES } from '@fairlead/rest-kit/large-bodies';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test, vi } from 'vitest';
import { createHookCalls } from './hook-calls.ts';

const PATIENCE = { timeout: 90_000, interval: 5 };

interface SentBatch {
  readonly onlyQuick: boolean;
  readonly tokens: readonly string[];
}

/** The triggers service. Calls to `filtered …` are slow, and their requests end when the test lets them. */
function setUp() {
  const sent: SentBatch[] = [];
  const large: string[] = [];
  const gate = Promise.withResolvers<void>();
  const calls = createHookCalls({
    newContext: () => testContext(),
    hooks: {
      async captureCalls(_ctx, { calls: given = [], onlyQuick = false }) {
        const tokens = given.map(({ tokenHash = '' }) => tokenHash);
        sent.push({ onlyQuick, tokens });
        const isSlow = (token: string): boolean => token.startsWith('filtered');
        if (!onlyQuick && tokens.some(isSlow)) await gate.promise;
        const results = tokens.map((token) =>
          onlyQuick && isSlow(token)
            ? ({ outcome: { case: 'takesTime', value: true } } as const)
            : ({ outcome: { case: 'eventId', value: `te of ${token}` } } as const),
        );
        return create(CaptureCallsResponseSchema, { results });
      },
      async captureLargeCall(_ctx, { call: given, body }) {
        const { tokenHash = '', body: own } = given ?? {};
        large.push(`${tokenHash} ${own?.length} ${body?.length}`);
        if (tokenHash.startsWith('filtered')) await gate.promise;
        const outcome = { case: 'eventId', value: `te of ${tokenHash}` } as const;
        return create(CaptureLargeCallResponseSchema, { result: { outcome } });
      },
    },
  });
  const outdated: string[] = [];
  const call = (
    tokenHash: string,
    o: { accountId?: string; takesTime?: boolean; bytes?: number } = {},
  ): Promise<HookResult> =>
    calls.capture(
      { tokenHash, body: Buffer.alloc(o.bytes ?? 2) },
      {
        target: { accountId: o.accountId ?? 'acc_1', takesTime: o.takesTime ?? false },
        signal: new AbortController().signal,
        onOutdated: () => void outdated.push(tokenHash),
      },
    );
  return { calls, call, sent, large, outdated, release: () => gate.resolve() };
}

const eventIds = (results: readonly HookResult[]): unknown[] => results.map(({ outcome }) => outcome.value);

test('calls that take time keep no others waiting, whatever their number', async () => {
  const { call, sent, release } = setUp();
  const stuck = Array.from({ length: 20 }, (_, at) => call(`filtered ${at % 5}`, { takesTime: true }));
  let isOver = false;
  void Promise.race(stuck).then(() => (isOver = true));
  await vi.waitUntil(() => sent.length >= 5, PATIENCE);
  for (let at = 0; at < 10; at += 1)
    expect(eventIds(await Promise.all([call('a'), call('b')]))).toEqual(['te of a', 'te of b']);
  expect(isOver).toBe(false);
  release();
  expect(new Set(eventIds(await Promise.all(stuck))).size).toBe(5);
  const slow = sent.filter(({ onlyQuick }) => !onlyQuick);
  for (const { tokens } of slow) expect(new Set(tokens).size).toBe(1);
});

test('a call that is not known to take time is sent again among those that do', async () => {
  const { calls, call, sent, outdated, release } = setUp();
  const stuck = call('filtered');
  await vi.waitUntil(() => sent.length === 2, PATIENCE);
  expect(sent).toEqual([
    { onlyQuick: true, tokens: ['filtered'] },
    { onlyQuick: false, tokens: ['filtered'] },
  ]);
  expect(outdated).toEqual(['filtered']);
  const drained = calls.drain().then(() => 'drained');
  expect(eventIds([await call('a')])).toEqual(['te of a']);
  expect(await Promise.race([drained, Promise.resolve('not drained')])).toBe('not drained');
  release();
  expect(eventIds([await stuck])).toEqual(['te of filtered']);
  await drained;
});

test('a large body shares no request with small ones, and is a field of its own', async () => {
  const { call, sent, large } = setUp();
  const bytes = LARGE_BODY_BYTES + 1;
  await Promise.all([call('a'), call('a', { bytes }), call('a')]);
  expect(sent).toEqual([{ onlyQuick: true, tokens: ['a', 'a'] }]);
  expect(large).toEqual([`a 0 ${bytes}`]);
});

test('large bodies of an account are captured one after the other, whatever their addresses', async () => {
  const { calls, call, large, release } = setUp();
  const bytes = LARGE_BODY_BYTES + 1;
  const stuck = call('filtered', { bytes });
  const next = call('a', { bytes });
  expect(eventIds([await call('b', { bytes, accountId: 'acc_2' })])).toEqual(['te of b']);
  expect(large).toEqual([`filtered 0 ${bytes}`, `b 0 ${bytes}`]);
  const drained = calls.drain().then(() => 'drained');
  expect(await Promise.race([drained, Promise.resolve('not drained')])).toBe('not drained');
  release();
  await drained;
  expect(eventIds(await Promise.all([stuck, next]))).toEqual(['te of filtered', 'te of a']);
});
