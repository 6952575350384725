import type { AnyBulkWriteOperation, UpdateFilter } from 'mongodb';
import { deliveryId } from '../domain/delivery.ts';
import { BY_WEIGHT } from '../domain/event-delivery.ts';
import type { Transition } from '../domain/transition.ts';
import type { Settlement } from '../ports/delivery-store.ts';
import type { DeliveryDocument } from './delivery.collection.ts';
import type { EventDocument } from './event.collection.ts';

/** A settlement, and the resulting delivery if nobody else has changed it. */
export interface PlannedSettlement {
  readonly settlement: Settlement;
  readonly transition: Transition;
}

type DeliveryClaim = Settlement['claimed'];

/** Id of a claimed delivery. */
export function idOf({ eventId, destinationId }: DeliveryClaim): string {
  return deliveryId(eventId, destinationId);
}

/** Matches while the claim is in force, or has expired without a successor. */
export function claimOf(claimed: DeliveryClaim) {
  return { _id: idOf(claimed), 'open.claim.token': claimed.open.claim.token };
}

export function updateOf({ attempt, state, ladder, open }: Transition): UpdateFilter<DeliveryDocument> {
  return {
    $push: { attempts: attempt },
    $set: { state, ladder, ...(open !== undefined && { open }) },
    ...(open === undefined && { $unset: { open: '' } }),
  };
}

/**
 * The write of a settlement that affects no other document. Not an updateOne, because the database stores a record of each for driver
 * retries (ADR 41); here, a retry finds its claim gone and checks the document.
 */
export function writeOne({
  settlement: { claimed },
  transition,
}: PlannedSettlement): AnyBulkWriteOperation<DeliveryDocument> {
  return {
    updateMany: {
      // If a replay was requested meanwhile, another attempt follows.
      filter: { ...claimOf(claimed), 'open.replayAfter': claimed.open.replayAfter ?? { $exists: false } },
      update: updateOf(transition),
      hint: '_id_',
    },
  };
}

/** The attempt of each delivery, computed by the database from the document and its claim. */
const CLAIM_KEY = { $concat: ['$_id', ' ', '$open.claim.token'] };

/**
 * The write of settlements that were all delivered: a single statement, because each statement costs as much as the change of a document. A
 * delivered attempt uses no step of the ladder.
 */
export function writeDelivered(
  planned: readonly PlannedSettlement[],
  { isOnly }: Pick<DeliveryDocument, 'isOnly'>,
): AnyBulkWriteOperation<DeliveryDocument> {
  const keys = planned.map(({ settlement: { claimed } }) => `${idOf(claimed)} ${claimed.open.claim.token}`);
  const each = (valueOf: (attempt: Transition['attempt']) => unknown) => ({
    $arrayElemAt: [{ $literal: planned.map(({ transition }) => valueOf(transition.attempt)) }, '$$place'],
  });
  const attempt = {
    attempt: each(({ attempt: number }) => number),
    state: 'delivered',
    statusCode: each(({ statusCode }) => statusCode),
    error: { $literal: null },
    durationMs: each(({ durationMs }) => durationMs),
    createdAt: '$open.createdAt',
  };
  return {
    updateMany: {
      filter: {
        _id: { $in: planned.map(({ settlement: { claimed } }) => idOf(claimed)) },
        // A replay may have added a destination to the event since the claim.
        isOnly,
        'open.replayAfter': { $exists: false },
        $expr: { $in: [CLAIM_KEY, { $literal: keys }] },
      },
      update: [
        {
          $set: {
            state: 'delivered',
            attempts: {
              $let: {
                vars: { place: { $indexOfArray: [{ $literal: keys }, CLAIM_KEY] } },
                in: { $concatArrays: ['$attempts', [attempt]] },
              },
            },
          },
        },
        { $unset: 'open' },
      ],
      hint: '_id_',
    },
  };
}

/** Writes the states of events with several destinations; every settlement given is of a delivered attempt. */
export function writeStates(planned: readonly PlannedSettlement[]): AnyBulkWriteOperation<EventDocument> {
  const ofEvent = Map.groupBy(planned, ({ settlement: { claimed } }) => claimed.eventId);
  const ids = [...ofEvent.keys()];
  const delivered = [...ofEvent.values()].map((some) =>
    Object.fromEntries(some.map(({ settlement: { claimed } }) => [claimed.destinationId, 'delivered'])),
  );
  const states = { $map: { input: { $objectToArray: '$states' }, in: '$$this.v' } };
  return {
    updateMany: {
      filter: { _id: { $in: ids } },
      update: [
        {
          $set: {
            states: {
              $mergeObjects: [
                '$states',
                { $arrayElemAt: [{ $literal: delivered }, { $indexOfArray: [{ $literal: ids }, '$_id'] }] },
              ],
            },
          },
        },
        {
          $set: {
            delivery: {
              $first: { $filter: { input: { $literal: BY_WEIGHT }, cond: { $in: ['$$this', states] } } },
            },
          },
        },
      ],
      hint: '_id_',
    },
  };
}

/** Whether the delivery ends with an accepting response. */
export function isDelivered({ transition: { attempt, open } }: PlannedSettlement): boolean {
  return attempt.state === 'delivered' && attempt.error === null && open === undefined;
}
