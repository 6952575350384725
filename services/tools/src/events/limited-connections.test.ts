import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, test } from 'vitest';
import { LimitedConnections } from './limited-connections.ts';

function start() {
  const clock = new VirtualTime(0);
  const ended: string[] = [];
  const limits = new LimitedConnections({
    clock,
    timers: clock.timers(() => true),
    onEnd: (accountId) => ended.push(accountId),
  });
  const note = (forMs: number, o: { version?: number; id?: number; account?: string } = {}): boolean =>
    limits.note(o.account ?? 'a', { connectionId: o.id ?? 7, credentialVersion: o.version ?? 1, forMs });
  const untilMs = (o: { version?: number; id?: number; account?: string } = {}): number | undefined =>
    limits.until(o.account ?? 'a', o.id ?? 7, o.version)?.getTime();
  return { clock, ended, limits, note, untilMs };
}

test('a limit holds for its connection until it is over, and others are not limited', async () => {
  const { clock, ended, note, untilMs } = start();
  expect(note(5_000)).toBe(true);
  expect([untilMs(), untilMs({ id: 8 }), untilMs({ account: 'b' })]).toEqual([5_000, undefined, undefined]);
  await clock.runUntil(4_999);
  expect([untilMs(), ended]).toEqual([5_000, []]);
  await clock.runUntil(5_000);
  expect([untilMs(), ended]).toEqual([undefined, ['a']]);
});

test('a limit is only made longer, and never longer than an hour', async () => {
  const { clock, ended, note, untilMs } = start();
  note(10_000);
  expect([note(5_000), note(10_000), untilMs()]).toEqual([false, false, 10_000]);
  expect([note(20_000), untilMs()]).toEqual([true, 20_000]);
  await clock.runUntil(19_999);
  expect(ended).toEqual([]);
  expect([note(Number.MAX_VALUE), untilMs()]).toEqual([true, 3_600_000 + 19_999]);
  for (const forMs of [0, -1, Number.NaN, Number.NEGATIVE_INFINITY])
    expect(note(forMs, { id: 9 })).toBe(false);
});

test('a changed credential ends the limit, and what comes late of the former one begins none', () => {
  const { ended, note, untilMs } = start();
  note(5_000);
  expect(untilMs({ version: 1 })).toBe(5_000);
  note(6_000, { version: 2 });
  expect(note(60_000, { version: 1 })).toBe(false);
  expect([untilMs({ version: 2 }), ended]).toEqual([6_000, []]);
  expect([untilMs({ version: 3 }), untilMs(), ended]).toEqual([undefined, undefined, ['a']]);
});

test('an account has a thousand limits at most, and cannot push out those of others', () => {
  const { limits, note, untilMs } = start();
  note(5_000, { account: 'b' });
  for (let id = 1; id <= 1_500; id += 1) note(5_000, { id });
  expect([limits.size, untilMs({ id: 500 }), untilMs({ id: 501 })]).toEqual([1_001, undefined, 5_000]);
  expect(untilMs({ account: 'b' })).toBe(5_000);
  for (let account = 0; account < 10_000; account += 1) note(5_000, { account: `c${account}` });
  expect(limits.size).toBe(10_000);
  limits.clear();
  expect(limits.size).toBe(0);
});
