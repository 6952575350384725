import { expect, it } from 'vitest';
import { delivery, minutesAfterNoon, NOON, queuedAttempt } from '../testing/events.ts';
import { replayAttempt, replayed } from './replay.ts';

const claim = { token: 't', by: 'replica', until: minutesAfterNoon(0.5), epoch: 0 };

it('a delivery that is over gets one more attempt, due now', () => {
  expect(replayed(delivery({ state: 'deadLettered' }), NOON)).toEqual(replayAttempt('dst_1', NOON));
  expect(replayAttempt('dst_1', NOON)).toMatchObject({ cause: 'replay', at: NOON, dueAt: NOON, claim: null });
});

it('a retry that is scheduled becomes due now and keeps its step of the ladder', () => {
  const open = queuedAttempt({ queue: 1, at: minutesAfterNoon(5), dueAt: minutesAfterNoon(5) });
  expect(replayed(delivery({ open, ladder: 2 }), NOON)).toEqual({
    ...open,
    at: NOON,
    dueAt: NOON,
    cause: 'pulledForward',
  });
});

it('an attempt that is due already is made when it would be', () => {
  const open = queuedAttempt({ at: minutesAfterNoon(-5), dueAt: minutesAfterNoon(-5) });
  expect(replayed(delivery({ open }), NOON)).toEqual({ ...open, cause: 'pulledForward' });
});

it.each(['ladder', 'replay', 'pulledForward'] as const)(
  'an attempt that is under way (%s) keeps its claim, and one more comes after it, however many replays',
  (cause) => {
    const open = queuedAttempt({ at: claim.until, claim, cause });
    const first = replayed(delivery({ open }), NOON);
    expect(first).toEqual({ ...open, replayAfter: NOON });
    expect(replayed(delivery({ ...(first && { open: first }) }), minutesAfterNoon(1))).toBeUndefined();
  },
);

it('what was given back before it began is made, and then the replay', () => {
  const open = queuedAttempt({ replayAfter: NOON });
  expect(replayed(delivery({ open }), minutesAfterNoon(1))).toBeUndefined();
});

it.each(['replay', 'pulledForward'] as const)('a second replay (%s) changes nothing', (cause) => {
  expect(replayed(delivery({ open: queuedAttempt({ cause }) }), NOON)).toBeUndefined();
});
