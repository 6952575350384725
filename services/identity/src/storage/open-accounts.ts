import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { FindOpenAccounts } from 'CROSS:services/gateway/src/authentication/open-accounts.ts';
import { accountCollection } from './account.collection.ts';

/** A lookup that takes longer fails: its caller must not hang on a database in trouble. */
const LOOKUP_LIMIT_MS = 5_000;

/** Looks accounts up in the gateway's database. */
export function openAccounts(store: MongoStore): FindOpenAccounts {
  const accounts = store.collection(accountCollection);
  return async (accountIds) => {
    const found = await accounts
      .find(
        { _id: { $in: [...accountIds] }, erasingAt: null },
        { projection: { _id: 1 }, maxTimeMS: LOOKUP_LIMIT_MS },
      )
      .toArray();
    return new Set(found.map(({ _id }) => _id));
  };
}
