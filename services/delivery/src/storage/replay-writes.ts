import type { AnyBulkWriteOperation } from 'mongodb';
import type { DeliveryState, OpenAttempt } from '../domain/delivery.ts';
import { deliveryId } from '../domain/delivery.ts';
import { firstAttemptReplayed, MAX_ATTEMPTS, replayAttempt, replayed } from '../domain/replay.ts';
import type { DeliveryDocument } from './delivery.collection.ts';
import type { EventDocument } from './event.collection.ts';

/** An event without its bytes. */
export type EventHead = Omit<EventDocument, 'body'>;

/** A delivery, as a replay reads it. */
export interface ReplayedDelivery {
  readonly _id: string;
  readonly eventId: string;
  readonly destinationId: string;
  readonly state: DeliveryState;
  readonly open?: OpenAttempt;
  /** Number of finished attempts. */
  readonly made: number;
}

/** The projection for it. */
export const REPLAYED_DELIVERY = {
  eventId: 1,
  destinationId: 1,
  state: 1,
  open: 1,
  made: { $size: '$attempts' },
} as const;

/** The writes of a replay, in order. */
export interface ReplayWrites {
  readonly ofDeliveries: readonly AnyBulkWriteOperation<DeliveryDocument>[];
  readonly ofEvents: readonly AnyBulkWriteOperation<EventDocument>[];
}

/**
 * The writes that replay an event to these destinations; undefined: one of its deliveries has too many attempts. The state of an event with
 * several destinations is written, too.
 */
export function replayWrites(
  event: EventHead,
  destinationIds: readonly string[],
  known: readonly ReplayedDelivery[],
  now: Date,
): ReplayWrites | undefined {
  const { accountId, _id: eventId } = event;
  const all = [...new Set([...event.destinationIds, ...destinationIds])];
  const isOnly = all.length === 1;
  const ofDestination = new Map(known.map((each) => [each.destinationId, each]));
  const ofDeliveries: AnyBulkWriteOperation<DeliveryDocument>[] = [];
  for (const destinationId of destinationIds) {
    const delivery = ofDestination.get(destinationId);
    if (delivery === undefined) {
      // Written together, but not in one transaction.
      const open = event.destinationIds.includes(destinationId)
        ? firstAttemptReplayed(destinationId, event.capturedAt)
        : replayAttempt(destinationId, now);
      ofDeliveries.push({ insertOne: { document: newDelivery(event, open, isOnly) } });
      continue;
    }
    const open = replayed(delivery, now);
    if (open === undefined) continue;
    if (delivery.made >= MAX_ATTEMPTS) return undefined;
    const update = { $set: { open, state: 'pending' as const } };
    ofDeliveries.push({ updateOne: { filter: { accountId, _id: delivery._id }, update } });
  }
  const isMoved = all.length > event.destinationIds.length;
  if (isMoved && known.length > 0)
    ofDeliveries.push({
      updateMany: {
        filter: { accountId, _id: { $in: known.map(({ _id }) => _id) } },
        update: { $set: { isOnly } },
      },
    });
  const filter = { accountId, _id: eventId };
  if (isOnly) {
    const update = { $set: { destinationIds: all }, $unset: { delivery: '', states: '' } } as const;
    return { ofDeliveries, ofEvents: isMoved ? [{ updateOne: { filter, update } }] : [] };
  }
  const states: Record<string, DeliveryState> = {
    ...Object.fromEntries(known.map(({ destinationId, state }) => [destinationId, state])),
    ...Object.fromEntries(destinationIds.map((id) => [id, 'pending' as const])),
  };
  const update = { $set: { destinationIds: all, states, delivery: 'pending' as const } };
  return { ofDeliveries, ofEvents: [{ updateOne: { filter, update } }] };
}

function newDelivery(
  { accountId, _id: eventId, triggerId, occurredAt, capturedAt, lag }: EventHead,
  open: OpenAttempt,
  isOnly: boolean,
): DeliveryDocument {
  const { destinationId } = open;
  return {
    _id: deliveryId(eventId, destinationId),
    accountId,
    eventId,
    destinationId,
    triggerId,
    occurredAt,
    capturedAt,
    ...(lag !== undefined && { lag }),
    state: 'pending',
    open,
    ladder: 0,
    attempts: [],
    isOnly,
  };
}
