import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Claim } from '@fairlead/service-kit/sweep/claims';
import type { ConnectionChange } from '../domain/connection-change.ts';
import type { ChangeStore } from '../ports/changes.ts';
import { changeCursorCollection } from './change-cursor.collection.ts';
import { CHANGE_DUE_PATH, pendingChangeCollection } from './pending-change.collection.ts';
import type { PendingChangeDocument } from './pending-change.collection.ts';
import { triggerCollection } from './trigger.collection.ts';

/** Longer than a healthy operation takes, shorter than the lease under which it runs. */
const LIMIT_MS = 5_000;

/** The followed changes in MongoDB. */
export interface ChangeRepository extends ChangeStore {
  /** Removes a change that has fired, if the claim is still valid. */
  remove(claimed: Claim<PendingChangeDocument>): Promise<void>;
}

/** The followed changes in the service's database. */
export function createChangeRepository(store: MongoStore, clock: Clock): ChangeRepository {
  const cursors = store.collection(changeCursorCollection);
  const pending = store.collection(pendingChangeCollection);
  const triggers = store.collection(triggerCollection);
  return {
    async cursor(source) {
      return (await cursors.findOne({ _id: source }, { maxTimeMS: LIMIT_MS }))?.cursor;
    },

    advance: (source, cursor, changes) =>
      store.withTransaction(async (session) => {
        await cursors.updateOne({ _id: source }, { $set: { cursor } }, { session, upsert: true });
        if (changes.length === 0) return;
        const now = clock.now();
        await pending.bulkWrite(
          changes.map(({ id: _id, ...change }) => ({
            updateOne: {
              filter: { _id },
              update: {
                $setOnInsert: {
                  ...change,
                  firedUntil: null,
                  due: { lane: change.accountId, at: now, claim: null },
                },
              },
              upsert: true,
            },
          })),
          { session },
        );
      }),

    async accountsWithTriggers(accountIds) {
      const found = await triggers
        .aggregate<{ _id: string }>(
          [{ $match: { accountId: { $in: [...accountIds] } } }, { $group: { _id: '$accountId' } }],
          { hint: 'list', maxTimeMS: LIMIT_MS },
        )
        .toArray();
      return new Set(found.map(({ _id }) => _id));
    },

    async remove({ document: { _id }, token }) {
      await pending.deleteOne({ _id, [`${CHANGE_DUE_PATH}.claim.token`]: token });
    },
  };
}

/** Decodes a change. */
export function pendingChange(document: PendingChangeDocument): ConnectionChange {
  const { _id: id, firedUntil: _progress, due: _due, ...change } = document;
  return { id, ...change };
}
