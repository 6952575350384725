import { MongoClient } from 'mongodb';
import type { Binary } from 'mongodb';
import { inject } from 'vitest';

/** A finished attempt, as stored. */
export interface LedgerAttempt {
  readonly attempt: number;
  readonly state: 'delivered' | 'failed' | 'deadLettered';
  readonly statusCode: number | null;
}

/** A delivery, as stored. */
export interface LedgerDelivery {
  readonly eventId: string;
  readonly state: string;
  readonly open?: { readonly claim: { readonly until: Date } | null };
  readonly attempts: readonly LedgerAttempt[];
}

/** The members of a destination document that concern failures. */
interface LedgerDestination {
  readonly _id: string;
  readonly disabledReason: string | null;
  readonly deadStreak: readonly string[];
  readonly maxConsecutiveFailures: number;
}

/** The delivery service's ledger, read from its database. */
export interface Ledger {
  deliveriesTo(destinationId: string): Promise<readonly LedgerDelivery[]>;
  /** Ids of a trigger's events, with their numbers. */
  eventsOf(triggerId: string): Promise<ReadonlyMap<string, number>>;
  destination(destinationId: string): Promise<LedgerDestination>;
  /** Currently claimed attempts to the destination, which may be in progress: `attemptKey` of each. */
  claimed(destinationId: string): Promise<readonly string[]>;
  /** Number of open deliveries to the destination. */
  openTo(destinationId: string): Promise<number>;
  /** Number of bulk replays that are not finished. */
  replaysLeft(): Promise<number>;
  close(): Promise<void>;
}

/** Identifies an attempt to deliver an event. */
export function attemptKey(eventId: string, attempt: number): string {
  return `${eventId} ${attempt}`;
}

/** Opens the ledger of the stack of this run. */
export async function openLedger(): Promise<Ledger> {
  const mongo = await MongoClient.connect(inject('stack').mongodbUri);
  const db = mongo.db('fairlead_delivery');
  const deliveries = db.collection<LedgerDelivery>('deliveries');
  const events = db.collection<{ readonly _id: string; readonly body: Binary }>('events');
  const destinations = db.collection<LedgerDestination>('destinations');
  return {
    deliveriesTo: (destinationId) => deliveries.find({ destinationId }).toArray(),
    async eventsOf(triggerId) {
      const found = await events.find({ triggerId }, { projection: { body: 1 } }).toArray();
      return new Map(
        found.map(({ _id, body }) => {
          // Sent by the test itself, through an inbound address.
          const { payload } = JSON.parse(Buffer.from(body.value()).toString('utf8')) as {
            payload: { body: { number: number } };
          };
          return [_id, payload.body.number];
        }),
      );
    },
    async destination(destinationId) {
      const found = await destinations.findOne({ _id: destinationId });
      if (found === null) throw new Error(`There is no destination ${destinationId}`);
      return found;
    },
    async claimed(destinationId) {
      const found = await deliveries
        .find({ destinationId, 'open.claim.token': { $exists: true } })
        .project<Pick<LedgerDelivery, 'eventId' | 'attempts'>>({ eventId: 1, attempts: 1 })
        .toArray();
      return found.map(({ eventId, attempts }) => attemptKey(eventId, attempts.length + 1));
    },
    openTo: (destinationId) =>
      deliveries.countDocuments({ 'open.queue': { $gte: 0 }, 'open.destinationId': destinationId }),
    replaysLeft: () => db.collection('replays').countDocuments({}),
    close: () => mongo.close(),
  };
}
