import type { RequestContext } from '@fairlead/service-kit/context/context';
import { ATTEMPT_MS, later } from '../domain/erasure.ts';
import type { ErasureStore } from '../ports/erasure-store.ts';
import type { OperatedIdentity } from '../ports/operated-identity.ts';
import { attemptErasure } from './attempt-erasure.ts';
import type { AttemptErasureDeps } from './attempt-erasure.ts';

export interface EraseAccountDeps extends AttemptErasureDeps {
  readonly erasures: Pick<ErasureStore, 'begin' | 'save' | 'postpone'>;
  readonly identity: Pick<OperatedIdentity, 'getAccount' | 'closeAccount' | 'data'>;
}

/**
 * Erases all data about an account; resolves when nothing is left. If it fails, the account stays closed and continueErasures completes the
 * erasure; a repeated call continues at once. NOT_FOUND for an unknown or erased account.
 */
export async function eraseAccount(
  deps: EraseAccountDeps,
  ctx: RequestContext,
  accountId: string,
): Promise<void> {
  await deps.identity.getAccount(ctx, accountId);
  const now = deps.clock.now();
  // Recorded before any effect, so that a started erasure is never lost.
  const erasure = await deps.erasures.begin(accountId, { now, until: later(now, ATTEMPT_MS) });
  await attemptErasure(deps, ctx, erasure);
}
