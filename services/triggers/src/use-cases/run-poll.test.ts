import { ApiError, overloaded } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { PollState } from '../domain/poll.ts';
import type { CallResult, PollRead } from '../ports/trigger-calls.ts';
import type { RunResult } from '../ports/trigger-store.ts';
import { MADE_AT, POLL_TYPE, SEEDED, trigger } from '../testing/triggers.ts';
import { runPoll } from './run-poll.ts';

const NEXT = { since: '2026-01-02T03:05:00.000Z', known: ['b@2'] };
const after = (seconds: number): Date => new Date(MADE_AT.getTime() + seconds * 1_000);

function read(members: Partial<PollRead> = {}): CallResult<PollRead> {
  return { isSuccess: true, value: { items: [], cursor: NEXT, hasMore: false, gaps: [], ...members } };
}

function item(key: string, payload: string) {
  return { key, occurredAt: after(-5), payload: new TextEncoder().encode(payload) };
}

/** Runs a poll every 10 s whose application gives this answer; `filter` is true for payloads that contain it. */
async function run(
  answer: CallResult<PollRead> | Error,
  o: {
    readonly filter?: string;
    readonly failures?: number;
    readonly isLost?: boolean;
    /** Duration of the filter per item. */
    readonly filterMs?: number;
    readonly filtered?: readonly string[];
  } = {},
) {
  const clock = new ManualClock(MADE_AT);
  const asked: string[] = [];
  const results: RunResult[] = [];
  const poll: PollState = {
    cursor: SEEDED,
    failures: o.failures ?? 0,
    ...(o.filtered && { filtered: o.filtered }),
  };
  const configured = trigger({ configuration: LazyJson.of({ everySeconds: 10 }), filter: o.filter ?? null });
  const isCommitted = await runPoll(
    {
      types: { resolve: () => Promise.resolve(POLL_TYPE) },
      calls: {
        readPoll: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
      },
      filters: {
        run(filter, payload) {
          const json = new TextDecoder().decode(payload);
          asked.push(json);
          clock.advance(o.filterMs ?? 0);
          if (json.includes('busy')) return Promise.reject(overloaded('busy'));
          if (json.includes('bad')) return Promise.resolve({ kind: 'failed', message: 'No such function.' });
          return Promise.resolve({ kind: json.includes(filter) ? 'passed' : 'refused' });
        },
      },
      runs: {
        commit(_run, result) {
          results.push(result);
          return Promise.resolve(o.isLost !== true);
        },
      },
      clock,
    },
    testContext(),
    { trigger: { ...configured, accountId: 'acc_1' }, poll, token: 'token', since: MADE_AT },
  );
  return { isCommitted, end: results[0], asked };
}

test('new items become events with their own bytes and time, stored with the cursor and the next time', async () => {
  const items = [item('a@1', '{"n":12345678901234567890}'), item('b@2', '{"n":2}')];
  const { isCommitted, end } = await run(read({ items }));
  expect(isCommitted).toBe(true);
  expect(end).toMatchObject({
    dueAt: after(10),
    poll: { cursor: NEXT, failures: 0 },
    gaps: [],
    lastError: null,
    events: [
      { accountId: 'acc_1', triggerId: 'trg_1', firingKey: 'item:a@1', occurredAt: after(-5) },
      { firingKey: 'item:b@2' },
    ],
  });
  expect(Buffer.from(end?.events[0]?.body ?? []).toString()).toContain(
    '"payload":{"n":12345678901234567890}',
  );
});

test('while there is more the poll is due at once', async () => {
  expect((await run(read({ hasMore: true }))).end?.dueAt).toEqual(MADE_AT);
});

test('gaps that the application reports are stored', async () => {
  const gaps = [{ from: after(-9), to: after(-8), reason: 'Too large.' }];
  expect((await run(read({ gaps }))).end?.gaps).toEqual(gaps);
});

test('only items for which the filter is true become events; one that fails is noted', async () => {
  const items = [item('a@1', '{"c":"red"}'), item('b@2', '{"c":"blue"}'), item('c@3', '{"c":"bad"}')];
  const { end } = await run(read({ items }), { filter: 'red' });
  expect(end).toMatchObject({ events: [{ firingKey: 'item:a@1' }], lastError: 'No such function.' });
  // The stored error stays until there is an event.
  const refused = await run(read({ items: items.slice(1, 2) }), { filter: 'red' });
  expect(refused.end).not.toHaveProperty('lastError');
});

test('a filter that is too slow for all that is new decides on a part, and on the rest in the next runs', async () => {
  const items = ['a@1', 'b@2', 'c@3', 'd@4', 'e@5'].map((key) => item(key, `"red ${key}"`));
  const gaps = [{ from: after(-9), to: after(-8), reason: 'Too large.' }];
  const slow = { filter: 'red', filterMs: 4_000 };
  const first = await run(read({ items, gaps }), slow);
  expect(first.end).toMatchObject({
    events: [{ firingKey: 'item:a@1' }, { firingKey: 'item:b@2' }, { firingKey: 'item:c@3' }],
    dueAt: after(12),
    poll: { cursor: SEEDED, failures: 0, filtered: ['a@1', 'b@2', 'c@3'] },
    gaps: [],
  });
  // One item appeared late, before some of the others.
  const late = [...items.slice(0, 2), item('b@9', '"red, late"'), ...items.slice(2)];
  const filtered = first.end?.poll?.filtered ?? [];
  const second = await run(read({ items: late, gaps }), { ...slow, filtered });
  expect(second.asked).toEqual(['"red, late"', '"red d@4"', '"red e@5"']);
  expect(second.end).toMatchObject({ poll: { cursor: NEXT, failures: 0 }, dueAt: after(22), gaps });
  expect(second.end?.poll).not.toHaveProperty('filtered');
  // The progress is kept even if the application refuses in between.
  const refused = await run({ isSuccess: false, errorMessage: 'No.' }, { filtered });
  expect(refused.end?.poll).toEqual({ cursor: SEEDED, failures: 1, filtered });
});

test('what was filtered before a filter could not be run is stored; nothing, if that was the first', async () => {
  const busy = item('b@2', '"busy"');
  const { end } = await run(read({ items: [item('a@1', '"red"'), busy] }), { filter: 'red' });
  expect(end).toMatchObject({
    events: [{ firingKey: 'item:a@1' }],
    dueAt: MADE_AT,
    poll: { cursor: SEEDED, filtered: ['a@1'] },
  });
  const failing = run(read({ items: [busy] }), { filter: 'red' });
  await expect(failing).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
});

test('what the application refuses is noted; the cursor stays, and the pause grows up to 15 minutes', async () => {
  const refused = { isSuccess: false, errorMessage: 'Sign in again.' } as const;
  for (const [failures, seconds] of [
    [0, 10],
    [1, 20],
    [4, 160],
    [50, 900],
  ] as const) {
    const { end } = await run(refused, { failures });
    expect(end).toEqual({
      events: [],
      dueAt: after(seconds),
      poll: { cursor: SEEDED, failures: failures + 1 },
      lastError: 'Sign in again.',
    });
  }
});

test('a connection that is gone is noted; what passes by itself is not, and is tried again at the usual time', async () => {
  const gone = await run(new ApiError('NOT_FOUND', 'There is no such connection.'));
  expect(gone.end).toMatchObject({ lastError: 'There is no such connection.', poll: { failures: 1 } });
  const busy = await run(new ApiError('UNAVAILABLE', 'Later.'), { failures: 3 });
  expect(busy.end).toMatchObject({ dueAt: after(10), poll: { cursor: SEEDED, failures: 0 } });
  expect(busy.end).not.toHaveProperty('lastError');
});

test('a run that was overtaken by a change says so', async () => {
  expect((await run(read(), { isLost: true })).isCommitted).toBe(false);
});

test('a defect is no failure of the trigger', async () => {
  await expect(run(new TypeError('no'))).rejects.toThrow('no');
});
