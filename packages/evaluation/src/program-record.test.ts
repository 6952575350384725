import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, it } from 'vitest';
import { ProgramRecord } from './program-record.ts';

function start(maxEntries = 10) {
  const clock = new ManualClock(new Date('2026-11-22T10:00:00Z'));
  return { clock, record: new ProgramRecord({ clock, maxEntries }) };
}

it('a program that passed a limit twice is not usable any more', () => {
  const { record, clock } = start();
  expect([record.exceed('a'), record.isUsable('a')]).toEqual([false, true]);
  expect([record.exceed('a'), record.isUsable('a')]).toEqual([true, false]);
  clock.advance(365 * 86_400_000);
  expect([record.isUsable('a'), record.isUsable('b')]).toEqual([false, true]);
});

it('one that took too long to compile is usable again after a minute, one that does not compile never', () => {
  const { record, clock } = start();
  record.postpone('slow');
  record.refuse('wrong');
  expect(record.isUsable('slow')).toBe(false);
  clock.advance(60_000);
  expect([record.isUsable('slow'), record.isUsable('wrong')]).toEqual([true, false]);
});

it('remembers the most recently used programs only', () => {
  const { record } = start(2);
  for (const id of ['a', 'b', 'a', 'c']) record.touch(id);
  expect(['a', 'b', 'c'].map((id) => record.isKnown(id))).toEqual([true, false, true]);
});
