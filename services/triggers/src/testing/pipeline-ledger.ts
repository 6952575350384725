import { createHash } from 'node:crypto';
import { EventsCapturedSchema } from '@fairlead/contracts/triggers/v1/event_pb';
import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { defineConsumer } from '@fairlead/service-kit/nats/consumer';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Ledger } from '../ports/ledger.ts';

/** An event in the test's ledger. */
interface RecordedEvent {
  readonly _id: string;
  readonly arrivals: number;
  /** Digests of the bodies of its arrivals. */
  readonly bodies: readonly string[];
}

/** The test's ledger, in the database of the outbox. */
export const ledgerCollection = defineCollection<RecordedEvent>({ name: 'ledger', indexes: [] });

const consumerOfLedger = defineConsumer({
  name: 'ledger',
  description: 'A ledger of a test',
  event: defineEvent(EventsCapturedSchema),
  // Short, so that messages of a killed process are redelivered soon.
  ackWaitMs: 2_000,
  maxAckPending: 64,
  batchSize: 8,
});

/** Moves events from the stream to the ledger, and counts arrivals. */
export function recordArrivals(nats: Nats, store: MongoStore): void {
  const collection = store.collection(ledgerCollection);
  nats.consume(consumerOfLedger, async (batch) => {
    const events = batch.flatMap(({ message }) => message.events);
    await collection.bulkWrite(
      events.map(({ id, body }) => ({
        updateOne: {
          filter: { _id: id },
          update: {
            $inc: { arrivals: 1 },
            $addToSet: { bodies: createHash('sha256').update(body).digest('hex') },
          },
          upsert: true,
        },
      })),
      { ordered: false },
    );
  });
}

/** The ledger as confirmers see it. */
export function ledgerOf(store: MongoStore): Ledger {
  return {
    async findMissing(eventIds) {
      const found = await store
        .collection(ledgerCollection)
        .find({ _id: { $in: [...eventIds] } }, { projection: { _id: 1 } })
        .toArray();
      const known = new Set(found.map(({ _id }) => _id));
      return eventIds.filter((id) => !known.has(id));
    },
  };
}
