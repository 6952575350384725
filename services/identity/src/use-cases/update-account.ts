import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Account, AccountChange } from '../domain/records.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';

interface UpdateAccountDeps {
  readonly accounts: Pick<AccountStore, 'update'>;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/** Changes the given settings and budgets of an account and returns it; NOT_FOUND if it does not exist. */
export async function updateAccount(
  { accounts, changeIdentity, clock }: UpdateAccountDeps,
  ctx: RequestContext,
  accountId: string,
  change: AccountChange,
): Promise<Account> {
  const account = await changeIdentity(accountId, () => accounts.update(ctx, accountId, change, clock.now()));
  if (account === undefined) throw notFound('account');
  return account;
}
