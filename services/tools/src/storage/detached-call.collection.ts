import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Binary } from 'mongodb';
import type { CallEnd, PendingRequest } from '../domain/detached-call.ts';

/** A call that goes on after the request that began it. */
export interface DetachedCallDocument {
  /** The call id. */
  readonly _id: string;
  readonly accountId: string;
  readonly owner: string;
  readonly toolName: string;
  /** The process that runs it. */
  readonly holder: string;
  readonly isOpen: boolean;
  readonly requests: readonly PendingRequest[];
  /** Null: it is open. */
  readonly end: CallEnd['kind'] | null;
  /** CallOutcome.isFailed. Absent without an outcome. */
  readonly isFailed?: boolean;
  /** As its caller reads it; null: it has none. Secrets are masked. */
  readonly outcome: Binary | null;
  readonly outcomeBytes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
}

/** Lists read the first index; the second counts what an account has; the last removes calls. */
export const detachedCallCollection = defineCollection<DetachedCallDocument>({
  name: 'detached_calls',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, isOpen: 1, expiresAt: 1, outcomeBytes: 1 }, name: 'room' },
    { key: { expiresAt: 1 }, name: 'retention', expireAfterSeconds: 0 },
  ],
});

/** A process that runs detached calls. */
export interface CallHolderDocument {
  readonly _id: string;
  readonly aliveUntil: Date;
}

const FORGOTTEN_AFTER_SECONDS = 24 * 60 * 60;

/** Found by its id. */
export const callHolderCollection = defineCollection<CallHolderDocument>({
  name: 'call_holders',
  indexes: [{ key: { aliveUntil: 1 }, name: 'retention', expireAfterSeconds: FORGOTTEN_AFTER_SECONDS }],
});
