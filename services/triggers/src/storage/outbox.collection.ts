import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Binary } from 'mongodb';
import type { CapturedEvent } from '../domain/event.ts';

/** A captured event, without members that its group has. */
export interface OutboxEvent extends Omit<CapturedEvent, 'id' | 'accountId' | 'body'> {
  readonly body: Binary;
}

/** Events of one account captured together, until the ledger has them; afterwards the keys of their firings, for a day. */
export interface OutboxDocument {
  /** Id of the first event. */
  readonly _id: string;
  readonly accountId: string;
  /** Trigger and key of each firing. */
  readonly firings: readonly string[];
  /** Ids of the firings' events, in their order. */
  readonly eventIds: readonly string[];
  /** The events, in the same order; absent once confirmed. */
  readonly events?: readonly OutboxEvent[];
  /** When the last of them was captured; absent once confirmed. */
  readonly pendingSince?: Date;
  /** Once confirmed: when the keys are deleted. */
  readonly expireAt?: Date;
}

/** The unique index guarantees one event per firing, whoever captures it. The partial index contains pending groups only. */
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
