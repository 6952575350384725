import { accountOf } from '@fairlead/service-kit/context';
import type { RequestContext } from '@fairlead/service-kit/context';
import type { AccountStore } from './account-store.ts';

/** What deleteAccountApplication needs. */
export interface DeleteAccountApplicationDeps {
  readonly store: Pick<AccountStore, 'remove'>;
}

/** Removes an application of the account's own; one that is gone, or was never there, is no error. */
export async function deleteAccountApplication(
  deps: DeleteAccountApplicationDeps,
  ctx: RequestContext,
  slug: string,
): Promise<void> {
  await deps.store.remove(accountOf(ctx), slug);
}
