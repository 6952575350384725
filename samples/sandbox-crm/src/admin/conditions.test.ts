import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Conditions } from './conditions.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('an outage with an end is over at that moment, one without lasts until it is ended', () => {
  const conditions = new Conditions();
  conditions.takeDown(1500);
  expect(conditions.downForSeconds()).toBe(2);
  vi.advanceTimersByTime(1499);
  expect(conditions.view().isDown).toBe(true);
  vi.advanceTimersByTime(1);
  expect(conditions.view()).toMatchObject({ isDown: false, downUntil: null });

  conditions.takeDown(undefined);
  vi.advanceTimersByTime(1e9);
  expect(conditions.downForSeconds()).toBeNull();
  conditions.bringUp();
  expect(conditions.downForSeconds()).toBeUndefined();
});

test('the rate limit lets its number of calls pass at once, then one each time a share of the second is over', () => {
  const conditions = new Conditions();
  conditions.setRateLimit(2);
  expect([conditions.admit(), conditions.admit(), conditions.admit()]).toEqual([0, 0, 1]);
  vi.advanceTimersByTime(499);
  expect(conditions.admit()).toBe(1);
  vi.advanceTimersByTime(1);
  expect([conditions.admit(), conditions.admit()]).toEqual([0, 1]);
});

test('unused calls do not add up', () => {
  const conditions = new Conditions();
  conditions.setRateLimit(1);
  vi.advanceTimersByTime(60_000);
  expect([conditions.admit(), conditions.admit()]).toEqual([0, 1]);
});

test('clear ends outage, delay and rate limit', () => {
  const conditions = new Conditions();
  conditions.takeDown(undefined);
  conditions.setDelay(100);
  conditions.setRateLimit(1);
  conditions.clear();
  expect(conditions.view()).toEqual({ isDown: false, downUntil: null, delayMs: 0, requestsPerSecond: null });
});
