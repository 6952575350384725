import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { EndedSessions } from '../ended-sessions.ts';
import { endedSessionCollection } from './ended-session.collection.ts';

/** Ended sessions in the gateway's database. */
export function endedSessionRepository(store: MongoStore): EndedSessions {
  const sessions = store.collection(endedSessionCollection);
  return {
    async add(ctx, { key, expiresAt }) {
      await sessions.updateOne(
        { _id: key },
        { $setOnInsert: { expiresAt } },
        { upsert: true, ...operationOptions(ctx) },
      );
    },
    // No filter on the time: an id that has expired is refused before it is looked up here.
    has: async (ctx, key) =>
      (await sessions.findOne({ _id: key }, { projection: { _id: 1 }, ...operationOptions(ctx) })) !== null,
  };
}
