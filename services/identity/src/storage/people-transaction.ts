import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore, OperationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { ClientSession } from 'mongodb';
import { accountCollection } from './account.collection.ts';

/** Options of each call in the transaction. */
export type TransactionOptions = OperationOptions & { readonly session: ClientSession };

/**
 * Runs `change`, which reads and writes users, keys and clients of the account, in a transaction; one at a time per account. Its reads
 * still hold when it writes, so that two owners cannot demote each other at once. UNAUTHORIZED if the account does not exist or is being
 * erased, so that nothing is created that the erasure would miss.
 */
export function changePeople<R>(
  store: MongoStore,
  ctx: RequestContext,
  accountId: string,
  change: (options: TransactionOptions) => Promise<R>,
): Promise<R> {
  return store.withTransaction(async (session) => {
    const options = { ...operationOptions(ctx), session };
    if (!(await lockOpenAccount(store, accountId, options)))
      throw new ApiError('UNAUTHORIZED', 'The account is being erased.');
    return change(options);
  });
}

/**
 * Locks the account against other such transactions, and against its closing, until this transaction ends. False if the account does not
 * exist or is being erased.
 */
export async function lockOpenAccount(
  store: MongoStore,
  accountId: string,
  options: { readonly session: ClientSession },
): Promise<boolean> {
  const { matchedCount } = await store
    .collection(accountCollection)
    .updateOne({ _id: accountId, erasingAt: null }, { $inc: { peopleRevision: 1 } }, options);
  return matchedCount > 0;
}
