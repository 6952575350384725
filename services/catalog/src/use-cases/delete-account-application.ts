import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountStore } from '../ports/account-store.ts';
import type { CatalogueChanges } from '../ports/catalogue-changes.ts';

interface DeleteAccountApplicationDeps {
  readonly store: Pick<AccountStore, 'remove'>;
  readonly changes: CatalogueChanges;
}

/** Removes an application that belongs to the account; succeeds if there is none. */
export async function deleteAccountApplication(
  deps: DeleteAccountApplicationDeps,
  ctx: RequestContext,
  slug: string,
): Promise<void> {
  const accountId = actingAccountOf(ctx);
  try {
    await deps.store.remove(ctx, accountId, slug);
  } finally {
    // Also announced after a failure: the write may have succeeded and only its response been lost.
    await deps.changes.announce(accountId, ctx);
  }
}
