import { getEventListeners, once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTimedSignal } from './timed-signal.ts';

// Only these kinds: immediates of the test runner would count as timers.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('aborts with the outer signal, for its reason', async () => {
  const outer = new AbortController();
  const timed = createTimedSignal(outer.signal, 1_000);
  const aborted = once(timed.signal, 'abort');
  outer.abort(new Error('gone'));
  await aborted;
  expect(timed.signal.reason).toMatchObject({ message: 'gone' });
  expect(timed.isTimedOut()).toBe(false);
  const late = createTimedSignal(outer.signal, 1_000);
  expect(late.signal.reason).toMatchObject({ message: 'gone' });
  timed.end();
  expect(vi.getTimerCount()).toBe(0);
});

test('aborts after its time, and leaves nothing at the outer signal', () => {
  const outer = new AbortController();
  const timed = createTimedSignal(outer.signal, 1_000);
  vi.advanceTimersByTime(999);
  expect(timed.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(timed.signal.reason).toMatchObject({ name: 'TimeoutError' });
  expect(timed.isTimedOut()).toBe(true);
  expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
});

test('leaves nothing behind once it has ended, and does not abort any more', () => {
  const outer = new AbortController();
  const timed = createTimedSignal(outer.signal, 1_000);
  timed.end();
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  outer.abort();
  vi.advanceTimersByTime(1_000);
  expect(timed.signal.aborted).toBe(false);
  expect(timed.isTimedOut()).toBe(false);
});

test('its time can be restarted, until it has aborted or ended', () => {
  const timed = createTimedSignal(new AbortController().signal, 1_000);
  vi.advanceTimersByTime(900);
  timed.restart(500);
  vi.advanceTimersByTime(499);
  expect(timed.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(timed.isTimedOut()).toBe(true);
  timed.restart(500);
  const ended = createTimedSignal(new AbortController().signal, 1_000);
  ended.end();
  ended.restart(500);
  expect(vi.getTimerCount()).toBe(0);
});
