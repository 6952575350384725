import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Binary } from 'mongodb';
import type { CapturedEvent } from '../domain/event.ts';

/** A captured event without the members that its group holds. */
export interface OutboxEvent extends Omit<CapturedEvent, 'id' | 'accountId' | 'body'> {
  readonly body: Binary;
}

/** Events of one account that were captured together until the ledger has them; afterwards the keys of their firings, for a day. */
export interface OutboxDocument {
  /** The id of the first event. */
  readonly _id: string;
  readonly accountId: string;
  /** The trigger of each firing and its key. */
  readonly firings: readonly string[];
  /** The events of the firings, in their order. */
  readonly eventIds: readonly string[];
  /** In the same order; absent once confirmed. */
  readonly events?: readonly OutboxEvent[];
  /** When the last of them was captured, until they are confirmed. */
  readonly pendingSince?: Date;
  /** Once confirmed: when the keys are forgotten. */
  readonly expireAt?: Date;
}

/** The unique index makes a firing one event, whoever captures it and however often. Pending events have an index of their size. */
export const outboxCollection = defineCollection<OutboxDocument>({
  name: 'outbox',
  indexes: [
    { key: { accountId: 1, firings: 1 }, name: 'firing', unique: true },
    {
      key: { pendingSince: 1, _id: 1 },
      name: 'pending',
      partialFilterExpression: { pendingSince: { $exists: true } },
    },
    { key: { expireAt: 1 }, name: 'clear_away', expireAfterSeconds: 0, sparse: true },
  ],
});
