import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountStore } from '../ports/account-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';

interface CloseAccountDeps {
  readonly accounts: Pick<AccountStore, 'markErasing'>;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/**
 * Marks an account as being erased: no credential of it is accepted, and nothing can be created in it. May be repeated; the first time
 * stays recorded. NOT_FOUND for an unknown account.
 */
export async function closeAccount(
  { accounts, changeIdentity, clock }: CloseAccountDeps,
  ctx: RequestContext,
  accountId: string,
): Promise<void> {
  const isFound = await changeIdentity(accountId, () => accounts.markErasing(ctx, accountId, clock.now()));
  if (!isFound) throw notFound('account');
}
