import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDeadline } from './deadline.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();

/** An answer whose time of arrival the test chooses. */
function awaitedAnswer(deadline: ReturnType<typeof startDeadline>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const paused = deadline.pauseFor(() => promise);
  return async () => {
    resolve();
    await paused;
  };
}

test('the time in which the client answers does not count', async () => {
  const deadline = startDeadline({ signal, timeoutMs: 1_000, answerMs: 5_000 });
  expect(deadline.remainingMs()).toBe(6_000);
  vi.advanceTimersByTime(800);
  const answerFirst = awaitedAnswer(deadline);
  const answerSecond = awaitedAnswer(deadline);
  vi.advanceTimersByTime(2_000);
  await answerFirst();
  vi.advanceTimersByTime(1_000);
  await answerSecond();
  expect(deadline.remainingMs()).toBe(2_200);
  vi.advanceTimersByTime(199);
  expect([deadline.signal.aborted, deadline.isOver()]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect([deadline.signal.aborted, deadline.isOver()]).toEqual([true, true]);
});

test('the answers have so much time in all, and then count', async () => {
  const deadline = startDeadline({ signal, timeoutMs: 1_000, answerMs: 500 });
  const answer = awaitedAnswer(deadline);
  vi.advanceTimersByTime(400);
  await answer();
  awaitedAnswer(deadline);
  vi.advanceTimersByTime(1_099);
  expect(deadline.isOver()).toBe(false);
  vi.advanceTimersByTime(1);
  expect([deadline.signal.aborted, deadline.isOver()]).toEqual([true, true]);
});

test('without such time an answer is time of the call', () => {
  const deadline = startDeadline({ signal, timeoutMs: 1_000 });
  awaitedAnswer(deadline);
  expect(deadline.remainingMs()).toBe(1_000);
  vi.advanceTimersByTime(1_000);
  expect(deadline.isOver()).toBe(true);
});

test('work with the remaining time does not end before the deadline', () => {
  const deadline = startDeadline({ signal, timeoutMs: 20.9 });
  expect(deadline.remainingMs()).toBe(21);
});

test('an answer that comes after the end starts nothing', async () => {
  const deadline = startDeadline({ signal, timeoutMs: 1_000, answerMs: 500 });
  const answer = awaitedAnswer(deadline);
  deadline.end();
  await answer();
  expect(vi.getTimerCount()).toBe(0);
});
