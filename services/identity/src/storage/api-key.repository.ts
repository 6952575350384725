import { notFound } from '@fairlead/errors/api-error';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { newestPage } from '@fairlead/service-kit/mongo/newest-page';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import { apiKeyCollection, apiKeyDocument, toApiKey } from './api-key.collection.ts';
import { endedToolsetCollection } from './ended-toolset.collection.ts';
import { changePeople } from './people-transaction.ts';
import type { TransactionOptions } from './people-transaction.ts';
import { toUser, userCollection } from './user.collection.ts';

/** Uses written by one command. */
const USES_A_COMMAND = 1_000;

/** API keys in the database. */
export function apiKeyRepository(store: MongoStore): ApiKeyStore {
  const users = store.collection(userCollection);
  const apiKeys = store.collection(apiKeyCollection);
  const endedToolsets = store.collection(endedToolsetCollection);

  async function hasEnded(
    accountId: string,
    toolsetId: string,
    options: TransactionOptions,
  ): Promise<boolean> {
    return (await endedToolsets.findOne({ accountId, toolsetId }, options)) !== null;
  }

  return {
    async list(ctx, accountId, page) {
      const { documents, totalCount } = await newestPage(apiKeys, ctx, { accountId, revokedAt: null }, page);
      return { items: documents.map(toApiKey), totalCount };
    },

    insert: (ctx, key, hash, check) =>
      changePeople(store, ctx, key.accountId, async (options) => {
        const user = await users.findOne({ _id: key.userId, accountId: key.accountId }, options);
        check(user === null ? undefined : toUser(user));
        if (key.toolsetId !== null && (await hasEnded(key.accountId, key.toolsetId, options)))
          throw notFound('toolset');
        await apiKeys.insertOne(apiKeyDocument(key, hash), options);
      }),

    revoke: (ctx, accountId, id, check, now) =>
      changePeople(store, ctx, accountId, async (options) => {
        const key = await apiKeys.findOne({ _id: id, accountId, revokedAt: null }, options);
        if (key === null) return false;
        const user = await users.findOne({ _id: key.userId, accountId }, options);
        check(user === null ? undefined : toUser(user));
        await apiKeys.updateOne({ _id: id }, { $set: { revokedAt: now, updatedAt: now } }, options);
        return true;
      }),

    endOfToolset: (ctx, accountId, toolsetId, now) =>
      changePeople(store, ctx, accountId, async (options) => {
        const ended = { accountId, toolsetId };
        await endedToolsets.updateOne(ended, { $set: { endedAt: now } }, { ...options, upsert: true });
        await apiKeys.updateMany(
          { accountId, toolsetId, revokedAt: null },
          { $set: { revokedAt: now, updatedAt: now } },
          options,
        );
      }),

    async recordUses(ctx, uses) {
      const writes = [...uses].map(([keyId, lastUsedAt]) => ({
        // Another replica may have written a later use.
        updateOne: { filter: { _id: keyId }, update: { $max: { lastUsedAt } } },
      }));
      for (let from = 0; from < writes.length; from += USES_A_COMMAND) {
        const { maxTimeMS } = operationOptions(ctx);
        await apiKeys.bulkWrite(writes.slice(from, from + USES_A_COMMAND), {
          ordered: false,
          ...(maxTimeMS !== undefined && { maxTimeMS }),
        });
      }
    },
  };
}
