import type { Sealed } from '@fairlead/service-kit/sealing/sealing';
import { defineCollection } from '@fairlead/service-kit/mongo/mongo';

/** An idempotency key as it is stored: neither the key nor what was called, only what tells it from others. */
export interface IdempotencyDocument {
  /** Slot.id: a digest of owner, key and target. */
  readonly _id: string;
  /** With which account it goes. Null: the operator's, about none. */
  readonly accountId: string | null;
  readonly runId: string;
  /** Of the body, by a key of the account. */
  readonly fingerprint: string;
  readonly leaseUntil: Date;
  /** From then on the key is free, whether the document is still there or not. */
  readonly expiresAt: Date;
  /** Absent while the run has no answer. */
  readonly answer?: {
    readonly status: number;
    /** The first piece; the others are documents of their own. */
    readonly piece: Sealed;
    readonly pieceCount: number;
  };
}

/** A further piece of an answer that does not fit one document. */
export interface AnswerPieceDocument {
  /** `<runId>.<index>` */
  readonly _id: string;
  readonly accountId: string | null;
  readonly runId: string;
  readonly index: number;
  readonly piece: Sealed;
  readonly expiresAt: Date;
}

/** Idempotency keys of 24 h, by their digest. */
export const idempotencyCollection = defineCollection<IdempotencyDocument>({
  name: 'idempotency_keys',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }, { key: { accountId: 1 } }],
});

/** Further pieces of their answers. */
export const answerPieceCollection = defineCollection<AnswerPieceDocument>({
  name: 'idempotency_answer_pieces',
  indexes: [
    { key: { runId: 1, index: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { key: { accountId: 1 } },
  ],
});
