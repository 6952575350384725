import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, it } from 'vitest';
import { ProgramRecord } from './program-record.ts';

const HOUR_MS = 3_600_000;

function start(maxEntries = 10) {
  const clock = new ManualClock(new Date('2026-11-22T10:00:00Z'));
  return { clock, record: new ProgramRecord({ clock, maxEntries }) };
}

it('a program that passed a limit twice in an hour is not usable for an hour', () => {
  const { record, clock } = start();
  expect([record.exceed('a'), record.isUsable('a')]).toEqual([false, true]);
  clock.advance(HOUR_MS - 1);
  expect([record.exceed('a'), record.isUsable('a')]).toEqual([true, false]);
  clock.advance(HOUR_MS - 1);
  expect([record.isUsable('a'), record.isUsable('b')]).toEqual([false, true]);
  clock.advance(1);
  expect(record.isUsable('a')).toBe(true);
});

it('a program that passes a limit once in an hour stays usable', () => {
  const { record, clock } = start();
  for (const _ of [1, 2, 3]) {
    expect([record.exceed('a'), record.isUsable('a')]).toEqual([false, true]);
    clock.advance(HOUR_MS);
  }
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
