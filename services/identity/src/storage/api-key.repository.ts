import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import type { KeyUseStore } from '../ports/key-use-store.ts';
import { apiKeyCollection, apiKeyDocument, toApiKey } from './api-key.collection.ts';
import { changePeople } from './people-transaction.ts';
import { toUser, userCollection } from './user.collection.ts';

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

/** API keys in the gateway's database. */
export function apiKeyRepository(store: MongoStore): ApiKeyStore & KeyUseStore {
  const users = store.collection(userCollection);
  const apiKeys = store.collection(apiKeyCollection);
  return {
    async list(ctx, accountId, { offset, top }) {
      const options = operationOptions(ctx);
      const filter = { accountId, revokedAt: null };
      const [documents, totalCount] = await Promise.all([
        apiKeys.find(filter, options).sort(NEWEST_FIRST).skip(offset).limit(top).toArray(),
        apiKeys.countDocuments(filter, options),
      ]);
      return { items: documents.map(toApiKey), totalCount };
    },

    insert: (ctx, key, hash, check) =>
      changePeople(store, ctx, key.accountId, async (options) => {
        const user = await users.findOne({ _id: key.userId, accountId: key.accountId }, options);
        check(user === null ? undefined : toUser(user));
        await apiKeys.insertOne(apiKeyDocument(key, hash), options);
      }),

    async revoke(ctx, accountId, id, now) {
      const { matchedCount } = await apiKeys.updateOne(
        { _id: id, accountId, revokedAt: null },
        { $set: { revokedAt: now, updatedAt: now } },
        operationOptions(ctx),
      );
      return matchedCount > 0;
    },

    async *readAll(ctx, accountId) {
      // Not in the order of the index, which separates revoked keys: an account has few enough keys to sort.
      const keys = apiKeys.find({ accountId }, operationOptions(ctx)).sort(NEWEST_FIRST);
      for await (const key of keys) yield toApiKey(key);
    },

    async recordUses(uses) {
      const writes = [...uses].map(([keyId, lastUsedAt]) => ({
        // Another replica may have written a later use.
        updateOne: { filter: { _id: keyId }, update: { $max: { lastUsedAt } } },
      }));
      await apiKeys.bulkWrite(writes, { ordered: false });
    },
  };
}
