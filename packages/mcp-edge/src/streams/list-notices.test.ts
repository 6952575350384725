import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, onTestFinished, test } from 'vitest';
import { createListNotices } from './list-notices.ts';

const START_MS = Date.UTC(2026, 10, 29);
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Two streams of different accounts. For each: the times of tool notices, in milliseconds after the start, and the
 * other lists in notices.
 */
function setUp(session?: number) {
  const time = new VirtualTime(START_MS);
  const state = { session };
  const got: Record<string, number[]> = { one: [], two: [] };
  const others: Record<string, string[]> = { one: [], two: [] };
  let onChange: (accountId: string | undefined, isOfTools: boolean) => void = () => undefined;
  const notices = createListNotices({
    hub: {
      notify(isConcerned, json) {
        const [, list = ''] =
          /^\{"jsonrpc":"2\.0","method":"notifications\/(\w+)\/list_changed"\}$/.exec(
            Buffer.from(json).toString(),
          ) ?? [];
        for (const [key, times] of Object.entries(got)) {
          if (!isConcerned(key, `acc of ${key}`)) continue;
          if (list === 'tools') times.push(time.nowMs - START_MS);
          else others[key]?.push(list);
        }
      },
    },
    subscribe(listener) {
      onChange = listener;
      return { session: () => state.session };
    },
    clock: time,
    timers: time.timers(() => true),
  });
  onTestFinished(() => notices.close());
  return {
    state,
    got,
    others,
    notices,
    change: (accountId?: string, isOfTools = true) => onChange(accountId, isOfTools),
    passUntil: (ms: number) => time.runUntil(START_MS + ms),
  };
}

test('a change is told to the streams of its account half a second later, with those that follow it', async () => {
  const { got, change, passUntil } = setUp();
  change('acc of one');
  await passUntil(400);
  change('acc of one');
  await passUntil(3_000);
  expect(got).toEqual({ one: [500], two: [] });
});

test('prompts and resources may have changed with a server, and while changes were missed', async () => {
  const { others, change, passUntil, state, notices } = setUp(1);
  await passUntil(3_000);
  expect(others).toEqual({ one: ['prompts', 'resources'], two: ['prompts', 'resources'] });
  change('acc of one', true);
  await passUntil(5_000);
  expect(others['one']).toHaveLength(2);
  change('acc of one', false);
  change('acc of one', true);
  await passUntil(7_000);
  expect(others).toMatchObject({ one: { length: 4 }, two: { length: 2 } });
  notices.opened({ key: 'two', expiresAt: new Date(START_MS + DAY_MS - 60_000) });
  await passUntil(9_000);
  expect(others['two']).toHaveLength(4);
  state.session = 2;
  await passUntil(14_000);
  expect(others).toMatchObject({ one: { length: 6 }, two: { length: 6 } });
});

test('a change of the platform’s catalogue is told to all', async () => {
  const { got, change, passUntil } = setUp();
  change(undefined);
  await passUntil(3_000);
  expect(got).toEqual({ one: [500], two: [500] });
});

test('no stream gets two notices within a second, and none is lost', async () => {
  const { got, change, passUntil } = setUp();
  for (let atMs = 0; atMs <= 2_600; atMs += 100) {
    await passUntil(atMs);
    change('acc of one');
    change('acc of two');
  }
  await passUntil(10_000);
  expect(got).toEqual({ one: [500, 1_500, 2_500, 3_500], two: [500, 1_500, 2_500, 3_500] });
});

test('after an outage of NATS all get one, once nobody uses a list from before', async () => {
  const { got, state, passUntil } = setUp(1);
  await passUntil(5_000);
  const before = got['one']?.length;
  state.session = undefined;
  await passUntil(20_000);
  expect(got['one']).toHaveLength(before ?? 0);
  state.session = 3;
  await passUntil(40_000);
  expect(got['one']?.slice(before)).toEqual([22_500 + 500]);
  expect(got['two']).toEqual(got['one']);
});

test('a connection that was silent but not lost has missed nothing', async () => {
  const { got, state, passUntil } = setUp(1);
  await passUntil(5_000);
  const before = got['one']?.length;
  state.session = undefined;
  await passUntil(10_000);
  state.session = 1;
  await passUntil(20_000);
  expect(got['one']).toHaveLength(before ?? 0);
});

test('a stream that opens gets a notice, unless its session has just begun', async () => {
  const { got, notices, passUntil } = setUp();
  const expiresAt = new Date(START_MS + DAY_MS);
  notices.opened({ key: 'one', expiresAt });
  await passUntil(9_000);
  notices.opened({ key: 'one', expiresAt });
  await passUntil(10_000);
  expect(got['one']).toEqual([]);
  notices.opened({ key: 'one', expiresAt });
  await passUntil(20_000);
  expect(got).toEqual({ one: [10_500], two: [] });
});

test('nothing is sent once it is closed', async () => {
  const { got, notices, change, passUntil } = setUp(1);
  change('acc of one');
  notices.close();
  change('acc of one');
  await passUntil(20_000);
  expect(got).toEqual({ one: [], two: [] });
});
