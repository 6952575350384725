import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { keptSince } from '../domain/event.ts';
import type { EventSelection } from '../ports/event-store.ts';
import type { ReplayBatch } from '../ports/replays.ts';
import { NOON } from '../testing/events.ts';
import { replayEvents } from './replay-events.ts';

const ctx = testContext({ accountId: 'acc_1' });
const filter = { from: NOON, destinationId: 'dst_1' };

function run(isAccepted: boolean, asked: unknown[] = [], wanted = filter) {
  const deps = {
    clock: new ManualClock(NOON),
    events: {
      listDeliverableIds: (_ctx: unknown, accountId: string, selection: EventSelection, limit: number) => {
        asked.push([accountId, selection, limit]);
        return Promise.resolve(['te_1', 'te_2']);
      },
    },
    destinations: {
      findIds: (_ctx: unknown, accountId: string, ids: readonly string[]) =>
        Promise.resolve(ids.filter((id) => `${accountId} ${id}` === 'acc_1 dst_1')),
    },
    replays: {
      enqueue: (_ctx: unknown, accountId: string, batch: ReplayBatch, most: number) => {
        asked.push([accountId, batch, most]);
        return Promise.resolve(isAccepted);
      },
    },
    wakeReplays: () => void asked.push('woken'),
  };
  return replayEvents(deps, ctx, wanted);
}

it('has at most 10 000 wanted events replayed, to the destination that was named', async () => {
  const asked: unknown[] = [];
  expect(await run(true, asked)).toBe(2);
  expect(asked).toEqual([
    ['acc_1', { filter, since: keptSince(NOON) }, 10_000],
    ['acc_1', { eventIds: ['te_1', 'te_2'], destinationId: 'dst_1', now: NOON }, 10_000],
    'woken',
  ]);
});

it('is a CONFLICT while too many wait', async () => {
  await expect(run(false)).rejects.toMatchObject({ code: 'CONFLICT' });
});

it('needs a destination that exists', async () => {
  const replay = run(true, [], { ...filter, destinationId: 'dst_2' });
  await expect(replay).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'The destination does not exist.',
  });
});
