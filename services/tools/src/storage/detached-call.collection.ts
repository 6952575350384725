import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Binary } from 'mongodb';
import type { CallEnd, PendingRequest } from '../domain/detached-call.ts';

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
  /** Null: open. */
  readonly end: CallEnd['kind'] | null;
  /** CallOutcome.isFailed. Absent without an outcome. */
  readonly isFailed?: boolean;
  /** In the form that the caller reads, secrets masked; null: none. */
  readonly outcome: Binary | null;
  readonly outcomeBytes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
}

/** Lists use the first index; the second is for counting an account's calls; the last removes calls. */
export const detachedCallCollection = defineCollection<DetachedCallDocument>({
  name: 'detached_calls',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, isOpen: 1, expiresAt: 1, outcomeBytes: 1 }, name: 'room' },
    { key: { expiresAt: 1 }, name: 'retention', expireAfterSeconds: 0 },
  ],
});

/** Heartbeat of a process that runs detached calls. */
export interface CallHolderDocument {
  readonly _id: string;
  readonly aliveUntil: Date;
}

const FORGOTTEN_AFTER_SECONDS = 24 * 60 * 60;

/** Read by id. */
export const callHolderCollection = defineCollection<CallHolderDocument>({
  name: 'call_holders',
  indexes: [{ key: { aliveUntil: 1 }, name: 'retention', expireAfterSeconds: FORGOTTEN_AFTER_SECONDS }],
});
