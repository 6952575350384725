import { Binary } from 'mongodb';
import { divideEvents } from '../domain/event-groups.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { OutboxDocument } from './outbox.collection.ts';

/** Divides events into groups, each of one account, and no larger than a message of the stream. */
export function groupsOf(events: readonly CapturedEvent[]): readonly (readonly CapturedEvent[])[] {
  return [...Map.groupBy(events, ({ accountId }) => accountId).values()].flatMap(divideEvents);
}

/** The unique key of a firing within its account. */
export function firingOf({ triggerId, firingKey }: Pick<CapturedEvent, 'triggerId' | 'firingKey'>): string {
  return `${triggerId} ${firingKey}`;
}

/** Encodes a group. */
export function documentOf(group: readonly CapturedEvent[]): OutboxDocument {
  const [first] = group;
  if (first === undefined) throw new Error('A group has no events.');
  return {
    _id: first.id,
    accountId: first.accountId,
    firings: group.map(firingOf),
    eventIds: group.map(({ id }) => id),
    events: group.map(({ id: _id, accountId: _account, body, ...same }) => ({
      ...same,
      body: new Binary(body),
    })),
    pendingSince: new Date(Math.max(...group.map(({ capturedAt }) => capturedAt.getTime()))),
  };
}

/** Decodes the events of a group; none if it is confirmed. */
export function eventsOf({ accountId, eventIds, events = [] }: OutboxDocument): readonly CapturedEvent[] {
  return events.flatMap(({ body, ...same }, at) => {
    const id = eventIds[at];
    return id === undefined ? [] : [{ id, accountId, ...same, body: body.buffer }];
  });
}
