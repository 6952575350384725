import { prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { Binary } from 'mongodb';
import { deliveryId } from '../domain/delivery.ts';
import { lagOf } from '../domain/lag.ts';
import { deliveryCollection } from '../storage/delivery.collection.ts';
import { eventCollection } from '../storage/event.collection.ts';
import { settledAttempt } from './events.ts';

const LOADED_AT_ONCE = 5_000;

/** Trigger and destinations of an event, and its state at each. */
interface LoadedEvent {
  readonly triggerId: string;
  readonly destinationId: string;
  /** Default: none. */
  readonly otherDestinationId?: string;
  readonly state: 'delivered' | 'deadLettered';
  /** Lag between occurrence and capture; default: none. */
  readonly lagMs?: number;
}

/** Stores `count` events of an account, evenly spread over a period of capture, oldest first; returns their ids. */
export async function loadEvents(
  store: Pick<MongoStore, 'collection'>,
  accountId: string,
  { count, from, to }: { readonly count: number; readonly from: Date; readonly to: Date },
  eventOf: (index: number) => LoadedEvent,
): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const loaded = Array.from({ length: Math.min(LOADED_AT_ONCE, count - ids.length) }, (_, place) => {
      const index = ids.length + place;
      const capturedAt = new Date(from.getTime() + ((to.getTime() - from.getTime()) * index) / count);
      return { ...eventOf(index), id: prefixedId('te', capturedAt), capturedAt };
    });
    const common = ({ triggerId, capturedAt, lagMs = 0 }: (typeof loaded)[number]) => {
      const occurredAt = new Date(capturedAt.getTime() - lagMs);
      const lag = lagOf({ occurredAt, capturedAt });
      return {
        accountId,
        triggerId,
        occurredAt,
        capturedAt,
        ...(lag !== undefined && { lag }),
      };
    };
    const event = { triggerType: 'schedule', payloadTruncated: false, payloadHash: 'sha256:00' };
    const destinationsOf = ({ destinationId, otherDestinationId }: LoadedEvent): string[] => [
      destinationId,
      ...(otherDestinationId === undefined ? [] : [otherDestinationId]),
    ];
    const summaryOf = (each: LoadedEvent) => ({
      states: Object.fromEntries(destinationsOf(each).map((id) => [id, each.state])),
      delivery: each.state,
    });
    await Promise.all([
      store.collection(eventCollection).insertMany(
        loaded.map((each) => ({
          ...event,
          ...common(each),
          _id: each.id,
          body: new Binary(Buffer.from(`{"id":"${each.id}","payload":{"name":"Ada"}}`)),
          destinationIds: destinationsOf(each),
          ...(each.otherDestinationId !== undefined && summaryOf(each)),
          firingKey: each.id,
        })),
        { ordered: false },
      ),
      store.collection(deliveryCollection).insertMany(
        loaded.flatMap((each) =>
          destinationsOf(each).map((destinationId) => ({
            ...common(each),
            _id: deliveryId(each.id, destinationId),
            eventId: each.id,
            destinationId,
            state: each.state,
            ladder: 0,
            attempts: [settledAttempt({ state: each.state })],
            isOnly: each.otherDestinationId === undefined,
          })),
        ),
        { ordered: false },
      ),
    ]);
    ids.push(...loaded.map(({ id }) => id));
  }
  return ids;
}
