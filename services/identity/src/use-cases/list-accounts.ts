import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { Account } from '../domain/records.ts';
import type { AccountStore } from '../ports/account-store.ts';

/** One page of all accounts, newest first, including those that are being erased. */
export function listAccounts(
  { accounts }: { readonly accounts: Pick<AccountStore, 'list'> },
  ctx: RequestContext,
  page: Page,
): Promise<CountedPage<Account>> {
  return accounts.list(ctx, page);
}
