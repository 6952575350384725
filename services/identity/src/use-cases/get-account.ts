import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Account } from '../domain/records.ts';
import type { AccountStore } from '../ports/account-store.ts';

/** The account; NOT_FOUND if it does not exist. */
export async function getAccount(
  { accounts }: { readonly accounts: Pick<AccountStore, 'find'> },
  ctx: RequestContext,
  accountId: string,
): Promise<Account> {
  const account = await accounts.find(ctx, accountId);
  if (account === undefined) throw notFound('account');
  return account;
}
