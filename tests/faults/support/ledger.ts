import { MongoClient } from 'mongodb';
import type { Binary } from 'mongodb';
import { inject } from 'vitest';

/** An attempt that is over, as the delivery service has stored it. */
export interface LedgerAttempt {
  readonly attempt: number;
  readonly state: 'delivered' | 'failed' | 'deadLettered';
  readonly statusCode: number | null;
}

/** A delivery, as the delivery service has stored it. */
export interface LedgerDelivery {
  readonly eventId: string;
  readonly state: string;
  readonly open?: { readonly claim: { readonly until: Date } | null };
  readonly attempts: readonly LedgerAttempt[];
}

/** The stored members of a destination about failures. */
interface LedgerDestination {
  readonly _id: string;
  readonly disabledReason: string | null;
  readonly deadStreak: readonly string[];
  readonly maxConsecutiveFailures: number;
}

/** The ledger of the delivery service, as its database has it. */
export interface Ledger {
  deliveriesTo(destinationId: string): Promise<readonly LedgerDelivery[]>;
  /** The ids of a trigger's events, with the number that was sent in each. */
  eventsOf(triggerId: string): Promise<ReadonlyMap<string, number>>;
  destination(destinationId: string): Promise<LedgerDestination>;
  /** The attempts to a destination that a process has claimed now, all that it may be sending: `attemptKey` of each. */
  claimed(destinationId: string): Promise<readonly string[]>;
  /** How many deliveries to the destination are not over. */
  openTo(destinationId: string): Promise<number>;
  /** Requests to replay many that nobody has begun or finished. */
  replaysLeft(): Promise<number>;
  close(): Promise<void>;
}

/** One attempt to deliver one event. */
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
          // Sent by the test itself, through a hook.
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
