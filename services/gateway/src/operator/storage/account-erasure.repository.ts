import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { WithId } from 'mongodb';
import type { Erasure } from '../domain/erasure.ts';
import type { ErasureStore } from '../ports/erasure-store.ts';
import { accountErasureCollection } from './account-erasure.collection.ts';
import type { AccountErasureDocument } from './account-erasure.collection.ts';

/** Erasures in the gateway's database. */
export function accountErasureRepository(store: MongoStore): ErasureStore {
  const erasures = store.collection(accountErasureCollection);
  return {
    async begin(accountId, { now, until }) {
      const document = await erasures.findOneAndUpdate(
        { _id: accountId },
        {
          $setOnInsert: { state: 'erasing', requestedAt: now, erasedAt: null, sweepCount: 0 },
          $set: { nextAt: until },
        },
        { upsert: true, returnDocument: 'after' },
      );
      if (document === null) throw new Error('The erasure was not stored.');
      return erasureOf(document);
    },

    async claimDue({ now, until }) {
      const document = await erasures.findOneAndUpdate(
        { nextAt: { $type: 'date', $lte: now } },
        { $set: { nextAt: until } },
        { sort: { nextAt: 1 }, returnDocument: 'after' },
      );
      return document === null ? undefined : erasureOf(document);
    },

    async save({ accountId, ...erasure }) {
      await erasures.updateOne({ _id: accountId }, { $set: erasure });
    },

    async postpone(accountId, until) {
      await erasures.updateOne({ _id: accountId }, { $set: { nextAt: until } });
    },
  };
}

function erasureOf({ _id, ...erasure }: WithId<AccountErasureDocument>): Erasure {
  return { accountId: _id, ...erasure };
}
