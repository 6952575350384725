import { expect, it } from 'vitest';
import { delivery, minutesAfterNoon, NOON, queuedAttempt, settledAttempt } from '../testing/events.ts';
import { attemptsOf, lastQueuedAt } from './attempt.ts';

const failed = settledAttempt();
const retry = queuedAttempt({ createdAt: minutesAfterNoon(0.1), dueAt: minutesAfterNoon(1) });

it('an attempt that was made has no next time; the one that is queued is pending, with the time that it is due', () => {
  const attempts = attemptsOf([delivery({ attempts: [failed], open: retry })], () => false);
  expect(attempts).toEqual([
    { ...failed, destinationId: 'dst_1', nextAttemptAt: null },
    {
      attempt: 2,
      state: 'pending',
      destinationId: 'dst_1',
      statusCode: null,
      error: null,
      durationMs: null,
      nextAttemptAt: minutesAfterNoon(1),
      createdAt: minutesAfterNoon(0.1),
    },
  ]);
});

it('a replay during an attempt is pending after it', () => {
  const replayAfter = minutesAfterNoon(2);
  const deliveries = [delivery({ attempts: [failed], open: { ...retry, replayAfter } })];
  expect(attemptsOf(deliveries, () => false)).toMatchObject([
    { attempt: 1, state: 'failed' },
    { attempt: 2, state: 'pending', nextAttemptAt: minutesAfterNoon(1) },
    { attempt: 3, state: 'pending', nextAttemptAt: replayAfter, createdAt: replayAfter },
  ]);
  expect(attemptsOf(deliveries, () => true)[2]?.nextAttemptAt).toBeNull();
  expect(lastQueuedAt(deliveries, NOON)).toEqual(replayAfter);
});

it('an attempt for a disabled destination is pending without a time', () => {
  const deliveries = [delivery({ open: retry }), delivery({ destinationId: 'dst_2', open: retry })];
  const attempts = attemptsOf(deliveries, (id) => id === 'dst_1');
  expect(attempts.map(({ state, nextAttemptAt }) => [state, nextAttemptAt])).toEqual([
    ['pending', null],
    ['pending', minutesAfterNoon(1)],
  ]);
});

it('attempts are in the order of their numbers, also if a clock went back', () => {
  const second = settledAttempt({ attempt: 2, createdAt: minutesAfterNoon(-60) });
  const other = delivery({
    destinationId: 'dst_2',
    attempts: [settledAttempt({ createdAt: minutesAfterNoon(-1) })],
  });
  const attempts = attemptsOf([delivery({ attempts: [failed, second] }), other], () => false);
  expect(attempts.map(({ attempt, destinationId }) => `${attempt} ${destinationId}`)).toEqual([
    '1 dst_2',
    '1 dst_1',
    '2 dst_1',
  ]);
});

it('an event changes when an attempt is queued', () => {
  expect(lastQueuedAt([], NOON)).toEqual(NOON);
  expect(lastQueuedAt([delivery({ attempts: [failed], open: retry })], NOON)).toEqual(minutesAfterNoon(0.1));
});
