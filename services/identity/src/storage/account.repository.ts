import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { newestPage } from '@fairlead/service-kit/mongo/newest-page';
import type { AccountStore } from '../ports/account-store.ts';
import { accountCollection, accountDocument, toAccount } from './account.collection.ts';
import { apiKeyCollection, apiKeyDocument } from './api-key.collection.ts';
import { userCollection, userDocument } from './user.collection.ts';

/** Accounts in the database; an account is created in one transaction with its owner and key. */
export function accountRepository(store: MongoStore): AccountStore {
  const accounts = store.collection(accountCollection);
  const users = store.collection(userCollection);
  const apiKeys = store.collection(apiKeyCollection);
  return {
    async find(ctx, id) {
      const document = await accounts.findOne({ _id: id }, operationOptions(ctx));
      return document === null ? undefined : toAccount(document);
    },

    async list(ctx, page) {
      const { documents, totalCount } = await newestPage(accounts, ctx, {}, page);
      return { items: documents.map(toAccount), totalCount };
    },

    async update(ctx, id, { budgets, ...change }, now) {
      const merged = Object.fromEntries(
        Object.entries(budgets ?? {}).map(([name, value]) => [`budgets.${name}`, value]),
      );
      const document = await accounts.findOneAndUpdate(
        { _id: id },
        { $set: { ...change, ...merged, updatedAt: now } },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      return document === null ? undefined : toAccount(document);
    },

    async insertWithOwner(ctx, { account, owner, passwordHash, key, keyHash }) {
      await store.withTransaction(async (session) => {
        const options = { ...operationOptions(ctx), session };
        await accounts.insertOne(accountDocument(account), options);
        await users.insertOne(userDocument(owner, passwordHash), options);
        await apiKeys.insertOne(apiKeyDocument(key, keyHash), options);
      });
    },

    async markErasing(ctx, id, now) {
      const options = operationOptions(ctx);
      const { matchedCount } = await accounts.updateOne(
        { _id: id, erasingAt: null },
        { $set: { erasingAt: now } },
        options,
      );
      return matchedCount > 0 || (await accounts.findOne({ _id: id }, options)) !== null;
    },
  };
}
