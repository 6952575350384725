import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { SeedStore } from '../ports/seed-store.ts';
import { accountCollection, accountDocument } from './account.collection.ts';
import { apiKeyCollection, apiKeyDocument } from './api-key.collection.ts';
import { userCollection, userDocument } from './user.collection.ts';

/** Database access of the seed command. */
export function seedRepository(store: MongoStore): SeedStore {
  const accounts = store.collection(accountCollection);
  const users = store.collection(userCollection);
  const apiKeys = store.collection(apiKeyCollection);
  return {
    async findOwnedAccount(email) {
      const owner = await users.findOne({ email, role: 'owner' }, { sort: { createdAt: 1, _id: 1 } });
      return owner?.accountId;
    },
    async findUser(accountId, email) {
      const user = await users.findOne({ accountId, email });
      return user === null ? undefined : { id: user._id, passwordHash: user.passwordHash };
    },
    async putAccount(account) {
      const { _id, ...fields } = accountDocument(account);
      await accounts.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
    },
    async insertUser(user, passwordHash) {
      await users.insertOne(userDocument(user, passwordHash));
    },
    async setPasswordHash(userId, passwordHash, now) {
      await users.updateOne({ _id: userId }, { $set: { passwordHash, updatedAt: now } });
    },
    async putApiKey(key, hash) {
      const { hash: _filter, ...fields } = apiKeyDocument(key, hash);
      await apiKeys.updateOne({ hash }, { $setOnInsert: fields }, { upsert: true });
    },
    async revokeOtherKeys({ accountId, name, hash }, now) {
      await apiKeys.updateMany(
        { accountId, name, hash: { $ne: hash }, revokedAt: null },
        { $set: { revokedAt: now, updatedAt: now } },
      );
    },
  };
}
