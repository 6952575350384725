import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { systemTimers } from '@fairlead/service-kit/timers';
import { expect, it } from 'vitest';
import { keptSince } from '../domain/event.ts';
import type { Replay, ReplayOutcome } from '../ports/replays.ts';
import { delivery, eventView, NOON } from '../testing/events.ts';
import { replayAttempt } from '../domain/replay.ts';
import { replayEvent } from './replay-event.ts';

const ctx = testContext({ accountId: 'acc_1' });

function run(outcome: ReplayOutcome, asked: unknown[] = []) {
  const deps = {
    clock: new ManualClock(NOON),
    timers: systemTimers,
    replays: {
      replay: (accountId: string, replay: Replay) => {
        asked.push(accountId, replay);
        return Promise.resolve(outcome);
      },
    },
    wakeAttempts: () => void asked.push('woken'),
    events: {
      find: () => Promise.resolve(eventView({}, [delivery({ open: replayAttempt('dst_1', NOON) })])),
      findDisabled: () => Promise.resolve(new Set<string>()),
    },
  };
  return replayEvent(deps, ctx, { eventId: 'te_1', destinationId: 'dst_1', destinationIds: ['dst_2'] });
}

it('returns the event with the attempt that it has queued', async () => {
  const asked: unknown[] = [];
  expect((await run('queued', asked)).attempts).toMatchObject([{ state: 'pending', nextAttemptAt: NOON }]);
  const replay = { eventId: 'te_1', destinationId: 'dst_1', otherwise: ['dst_2'], now: NOON };
  expect(asked).toEqual(['acc_1', { ...replay, since: keptSince(NOON) }, 'woken']);
});

it.each([
  ['noEvent', 'NOT_FOUND', 'The event does not exist.'],
  ['otherDestination', 'NOT_FOUND', 'The destination does not exist.'],
  [
    'tooManyAttempts',
    'CONFLICT',
    'The event has had 1000 attempts at a destination, and is not replayed there any more.',
  ],
  ['noDestination', 'NO_DESTINATION', 'Neither the event nor its trigger has a destination.'],
] as const)('%s is %s', async (outcome, code, message) => {
  await expect(run(outcome)).rejects.toMatchObject({ code, message });
});
