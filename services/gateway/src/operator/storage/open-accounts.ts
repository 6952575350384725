import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { accountCollection } from '../../identity/storage/account.collection.ts';

/** Those of the given accounts that exist and are not being erased: only of these anything may be written down. */
export type FindOpenAccounts = (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** A lookup that takes longer fails: what waits for it must not hang on a database in trouble. */
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
