import type { RequestContext } from '@fairlead/service-kit/context/context';
import { readPosition } from '@fairlead/service-kit/cursor';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { z } from 'zod';
import { attemptsOf } from '../domain/attempt.ts';
import type { EventView } from '../ports/event-store.ts';
import { createEventViews } from './event-views.ts';
import { eventCollection } from './event.collection.ts';

const idForm = z.string();
const READ_AT_ONCE = 100;
const MAX_BYTES = 8 * 1_024 * 1_024;

/**
 * Reads an account's events with their attempts for its export, newest first, from after position `after`. Events captured meanwhile are
 * newer and not returned.
 */
export async function* exportEvents(
  store: Pick<MongoStore, 'collection'>,
  ctx: RequestContext,
  accountId: string,
  after: string | undefined,
): AsyncGenerator<{ readonly position: string; readonly record: object }> {
  const { read } = createEventViews(store);
  const events = store.collection(eventCollection);
  let last = after === undefined ? undefined : readPosition(idForm, after);
  for (;;) {
    const ids = await events
      .find(
        { accountId, ...(last !== undefined && { _id: { $lt: last } }) },
        { ...operationOptions(ctx), projection: { _id: 1 }, hint: 'list' },
      )
      .sort({ _id: -1 })
      .limit(READ_AT_ONCE)
      .map(({ _id }) => _id)
      .toArray();
    if (ids.length === 0) return;
    const { items, next } = await read(ctx, accountId, ids, MAX_BYTES);
    for (const view of items) yield { position: JSON.stringify(view.event.id), record: toRecord(view) };
    last = next ?? ids.at(-1);
  }
}

/** The event as its receivers got it, with its deliveries. */
function toRecord({ event, deliveries }: EventView): object {
  const { body, capturedAt, destinationIds } = event;
  // The capture wrote it: an object with the members that receivers get.
  const sent = JSON.parse(Buffer.from(body).toString()) as object;
  return { ...sent, capturedAt, destinationIds, attempts: attemptsOf(deliveries, () => false) };
}
