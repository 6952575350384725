import type { RequestContext } from '@fairlead/service-kit/context/context';
import { ATTEMPT_MS, later } from '../domain/erasure.ts';
import type { ErasureStore } from '../ports/erasure-store.ts';
import { attemptErasure } from './attempt-erasure.ts';
import type { AttemptErasureDeps } from './attempt-erasure.ts';

/** What continueErasures needs. */
export interface ContinueErasuresDeps extends AttemptErasureDeps {
  readonly erasures: Pick<ErasureStore, 'claimDue' | 'save' | 'postpone'>;
}

/** Goes on with every erasure that was left half-way, and erases once more what was erased, each at its time. */
export async function continueErasures(deps: ContinueErasuresDeps, ctx: RequestContext): Promise<void> {
  while (!ctx.signal.aborted) {
    const now = deps.clock.now();
    const erasure = await deps.erasures.claimDue({ now, until: later(now, ATTEMPT_MS) });
    if (erasure === undefined) return;
    try {
      await attemptErasure(deps, ctx, erasure);
    } catch (error) {
      // It comes again in its time; others may be able to go on.
      ctx.log.warn({ err: error, accountId: erasure.accountId }, 'could not go on erasing an account');
    }
  }
}
