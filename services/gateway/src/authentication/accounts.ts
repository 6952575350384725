import type { Budgets } from '@fairlead/access/budgets';
import type { ChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { AccountLookup } from './ports/credential-lookup.ts';

/** Finds which of the given accounts exist and are not being erased. Data is written only about these. */
export type FindOpenAccounts = (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** Limit of one lookup request. */
const MAX_BATCH = 1_000;

/** Open accounts, cached like credentials. Accounts missing from the cache are looked up in one request. */
export function createFindOpenAccounts(
  caches: ChangeCaches,
  lookup: Pick<AccountLookup, 'areOpen'>,
): FindOpenAccounts {
  const accounts = caches.open<boolean | undefined>((isOpen, accountId) =>
    isOpen === undefined ? undefined : accountId,
  );
  const load = batched(lookup);
  return async (accountIds) => {
    const found = await Promise.all(
      accountIds.map(async (accountId) => ({
        accountId,
        isOpen: await accounts.get(accountId, () => load(accountId)),
      })),
    );
    return new Set(found.flatMap(({ accountId, isOpen }) => (isOpen === true ? [accountId] : [])));
  };
}

/** The budgets of an open account; undefined for any other. */
export type FindBudgets = (accountId: string) => Promise<Budgets | undefined>;

/** Budgets of accounts, cached like credentials. */
export function createFindBudgets(
  caches: ChangeCaches,
  lookup: Pick<AccountLookup, 'findBudgets'>,
): FindBudgets {
  const budgets = caches.open<Budgets | undefined>((found, accountId) =>
    found === undefined ? undefined : accountId,
  );
  return (accountId) => budgets.get(accountId, () => lookup.findBudgets(accountId));
}

interface Waiting {
  readonly accountId: string;
  readonly answer: PromiseWithResolvers<boolean | undefined>;
}

/** Looks up one account; lookups that begin in the same turn of the event loop share a request. */
function batched(
  lookup: Pick<AccountLookup, 'areOpen'>,
): (accountId: string) => Promise<boolean | undefined> {
  let waiting: Waiting[] = [];
  const flush = (): void => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += MAX_BATCH) {
      const batch = all.slice(at, at + MAX_BATCH);
      lookup.areOpen(batch.map(({ accountId }) => accountId)).then(
        (answers) => batch.forEach(({ answer }, index) => answer.resolve(answers[index])),
        (error: unknown) => batch.forEach(({ answer }) => answer.reject(error)),
      );
    }
  };
  return (accountId) => {
    if (waiting.length === 0) queueMicrotask(flush);
    const answer = Promise.withResolvers<boolean | undefined>();
    waiting.push({ accountId, answer });
    return answer.promise;
  };
}
