import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Binary } from 'mongodb';

/** One captured event until the ledger has it; afterwards the key of its firing, for a day. */
export interface OutboxDocument {
  /** The event's id. */
  readonly _id: string;
  readonly accountId: string;
  readonly triggerId: string;
  readonly firingKey: string;
  readonly triggerType: string;
  readonly destinationIds: readonly string[];
  readonly occurredAt: Date;
  readonly capturedAt: Date;
  /** Absent once confirmed. */
  readonly body?: Binary;
  readonly payloadTruncated: boolean;
  readonly payloadHash: string;
  /** The time of capture, until the event is confirmed. */
  readonly pendingSince?: Date;
  /** Once confirmed: when the key is forgotten. */
  readonly expireAt?: Date;
}

/** The unique index makes a firing one event, whoever captures it and however often. Pending events have an index of their size. */
export const outboxCollection = defineCollection<OutboxDocument>({
  name: 'outbox',
  indexes: [
    { key: { accountId: 1, triggerId: 1, firingKey: 1 }, name: 'firing', unique: true },
    {
      key: { pendingSince: 1, _id: 1 },
      name: 'pending',
      partialFilterExpression: { pendingSince: { $exists: true } },
    },
    { key: { expireAt: 1 }, name: 'clear_away', expireAfterSeconds: 0, sparse: true },
  ],
});
