import type { Document } from 'mongodb';
import type { SealedCollection } from '@fairlead/sealing/sealed-fields';
import { OPERATOR_SCOPE, pieceBinding } from '../domain/slot.ts';
import { answerPieceCollection, idempotencyCollection } from './idempotency.collection.ts';
import type { AnswerPieceDocument, IdempotencyDocument } from './idempotency.collection.ts';

/** A response to the operator is stored with the account that it is about, but sealed with the operator's key. */
function scopesOf({ accountId }: { readonly accountId: string | null }): readonly string[] {
  return accountId === null ? [OPERATOR_SCOPE] : [accountId, OPERATOR_SCOPE];
}

const keys: SealedCollection<IdempotencyDocument> = {
  definition: idempotencyCollection,
  members: ['accountId', 'runId'],
  fields: [{ path: 'answer.piece', scopesOf, bindingOf: ({ _id, runId }) => pieceBinding(_id, runId, 0) }],
};

const pieces: SealedCollection<AnswerPieceDocument> = {
  definition: answerPieceCollection,
  members: ['accountId', 'slotId', 'runId', 'index'],
  fields: [
    {
      path: 'piece',
      scopesOf,
      bindingOf: ({ slotId, runId, index }) =>
        slotId === undefined ? undefined : pieceBinding(slotId, runId, index),
    },
  ],
};

/** All sealed values of the module. */
export const sealedCollections: readonly SealedCollection<Document>[] = [keys, pieces];
