import type { SealedValue } from '@fairlead/sealing/sealed-value';
import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** A stored idempotency key. It has a digest instead of the key and its target. */
export interface IdempotencyDocument {
  /** Slot.id: a digest of owner, key and target. */
  readonly _id: string;
  /** The account whose erasure deletes it. Null: a call of the operator about no account. */
  readonly accountId: string | null;
  /** KeyLock.lockId. */
  readonly runId: string;
  /** The body's fingerprint, made with a key of the account. */
  readonly fingerprint: string;
  readonly leaseUntil: Date;
  /** Time from which the key is free, even if the document still exists. */
  readonly expiresAt: Date;
  /** Absent while its call has no response. */
  readonly answer?: {
    readonly status: number;
    /** The first piece; the others are separate documents. */
    readonly piece: SealedValue;
    readonly pieceCount: number;
  };
}

/** A further piece of a response that does not fit one document. */
export interface AnswerPieceDocument {
  /** `<runId>.<index>` */
  readonly _id: string;
  readonly accountId: string | null;
  /** `_id` of the key whose response this is a piece of. Absent in documents of an earlier release. */
  readonly slotId?: string;
  /** KeyLock.lockId. */
  readonly runId: string;
  readonly index: number;
  readonly piece: SealedValue;
  readonly expiresAt: Date;
}

/** Idempotency keys of the last 24 h, by their digest. */
export const idempotencyCollection = defineCollection<IdempotencyDocument>({
  name: 'idempotency_keys',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }, { key: { accountId: 1 } }],
});

/** Further pieces of their responses. */
export const answerPieceCollection = defineCollection<AnswerPieceDocument>({
  name: 'idempotency_answer_pieces',
  indexes: [
    { key: { runId: 1, index: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { key: { accountId: 1 } },
  ],
});
