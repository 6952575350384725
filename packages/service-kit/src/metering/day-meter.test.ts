import { ManualClock } from '../clock.ts';
import { expect, test } from 'vitest';
import { createDayMeter } from './day-meter.ts';
import type { DayCount } from './day-meter.ts';

function setUp() {
  const clock = new ManualClock(new Date('2026-11-21T23:59:59.000Z'));
  const written: (readonly DayCount[])[] = [];
  const state = { isAway: false, open: new Set(['acc_1', 'acc_2']), unknown: new Set<string>() };
  const meter = createDayMeter({
    clock,
    findOpenAccounts: (ids) =>
      ids.some((id) => state.unknown.has(id))
        ? Promise.reject(new Error('identity is away'))
        : Promise.resolve(new Set(ids.filter((id) => state.open.has(id)))),
    counts: {
      add(counts) {
        if (state.isAway) return Promise.reject(new Error('away'));
        written.push(counts);
        return Promise.resolve();
      },
    },
  });
  const call = (accountId: string, times: number) => {
    for (let index = 0; index < times; index += 1) meter.count(accountId);
  };
  return { clock, written, state, meter, call };
}

const today = '2026-11-21';

test('calls are written once, together, by account and day', async () => {
  const { clock, written, meter, call } = setUp();
  call('acc_1', 3);
  call('acc_2', 1);
  clock.advance(1_000);
  call('acc_1', 2);
  await meter.flush();
  await meter.flush();
  expect(written).toEqual([
    [
      { accountId: 'acc_1', day: today, count: 3 },
      { accountId: 'acc_2', day: today, count: 1 },
      { accountId: 'acc_1', day: '2026-11-22', count: 2 },
    ],
  ]);
});

test('what could not be written is written later, with what was counted meanwhile', async () => {
  const { written, state, meter, call } = setUp();
  state.isAway = true;
  call('acc_1', 3);
  const failed = meter.flush();
  call('acc_1', 1);
  await expect(failed).rejects.toThrow('away');
  call('acc_1', 1);
  state.isAway = false;
  await meter.flush();
  expect(written).toEqual([[{ accountId: 'acc_1', day: today, count: 5 }]]);
});

test('calls of an account that cannot be looked up are written later, those of others at once', async () => {
  const { written, state, meter, call } = setUp();
  state.unknown.add('acc_2');
  call('acc_1', 1);
  call('acc_2', 2);
  await expect(meter.flush()).rejects.toThrow('identity is away');
  expect(written).toEqual([[{ accountId: 'acc_1', day: today, count: 1 }]]);
  call('acc_2', 1);
  state.unknown.clear();
  await meter.flush();
  expect(written.slice(1)).toEqual([[{ accountId: 'acc_2', day: today, count: 3 }]]);
});

test('calls of an account that is being erased are not written', async () => {
  const { written, state, meter, call } = setUp();
  call('acc_1', 1);
  state.open = new Set(['acc_2']);
  await meter.flush();
  call('acc_2', 1);
  await meter.flush();
  expect(written).toEqual([[{ accountId: 'acc_2', day: today, count: 1 }]]);
});
