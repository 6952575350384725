import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { keptSince } from '../domain/event.ts';
import type { EventSelection } from '../ports/event-store.ts';
import { eventView, NOON } from '../testing/events.ts';
import { listEvents } from './list-events.ts';
import type { ListEventsRequest } from './list-events.ts';

const ctx = testContext({ accountId: 'acc_1' });
const request: ListEventsRequest = {
  filter: { triggerId: 'trg_1' },
  page: { offset: 1, top: 2 },
  after: undefined,
};

/** A store with three events, of which `readable` fit into a message. */
function deps(readable: number, selections: EventSelection[] = []) {
  return {
    clock: new ManualClock(NOON),
    events: {
      listIds: (_ctx: unknown, accountId: string, selection: EventSelection) => {
        selections.push(selection);
        return Promise.resolve([`${accountId}_b`, `${accountId}_a`]);
      },
      count: () => Promise.resolve(3),
      has: (_ctx: unknown, _accountId: string, id: string) => Promise.resolve(id === 'te_known'),
      read: (_ctx: unknown, _accountId: string, ids: readonly string[]) =>
        Promise.resolve({
          items: ids.slice(0, readable).map((id) => eventView({ id })),
          next: readable < ids.length ? ids[readable - 1] : undefined,
        }),
    },
  };
}

it('is a page of the account’s events that are still kept, with the number of all', async () => {
  const selections: EventSelection[] = [];
  const { items, totalCount, next } = await listEvents(deps(2, selections), ctx, request);
  expect(items.map(({ event }) => event.id)).toEqual(['acc_1_b', 'acc_1_a']);
  expect([totalCount, next]).toEqual([3, undefined]);
  expect(selections).toEqual([{ filter: { triggerId: 'trg_1' }, since: keptSince(NOON), after: undefined }]);
});

it('says where a page goes on that one message cannot hold', async () => {
  expect(await listEvents(deps(1), ctx, request)).toMatchObject({ next: 'acc_1_b', items: [{}] });
});

it('goes on after the last event of a part, even if it is gone, and counts nothing again', async () => {
  const selections: EventSelection[] = [];
  const page = { offset: 0, top: 2, after: 'te_gone' };
  const rest = await listEvents(deps(2, selections), ctx, { ...request, page, after: 'te_known' });
  expect(rest).toMatchObject({ totalCount: 0, items: [{}, {}] });
  expect(selections).toMatchObject([{ after: 'te_gone' }]);
});

it('is empty after an event that does not exist', async () => {
  const after = (id: string) => listEvents(deps(2), ctx, { ...request, after: id });
  expect(await after('te_other')).toEqual({ items: [], totalCount: 0 });
  expect((await after('te_known')).items).toHaveLength(2);
});
