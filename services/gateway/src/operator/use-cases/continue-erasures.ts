import type { RequestContext } from '@fairlead/service-kit/context/context';
import { ATTEMPT_MS, later } from '../domain/erasure.ts';
import type { ErasureStore } from '../ports/erasure-store.ts';
import { attemptErasure } from './attempt-erasure.ts';
import type { AttemptErasureDeps } from './attempt-erasure.ts';

export interface ContinueErasuresDeps extends AttemptErasureDeps {
  readonly erasures: Pick<ErasureStore, 'claimDue' | 'save' | 'postpone'>;
}

/** Continues due erasures: unfinished ones, and repetitions of finished ones. */
export async function continueErasures(deps: ContinueErasuresDeps, ctx: RequestContext): Promise<void> {
  while (!ctx.signal.aborted) {
    const now = deps.clock.now();
    const erasure = await deps.erasures.claimDue({ now, until: later(now, ATTEMPT_MS) });
    if (erasure === undefined) return;
    try {
      await attemptErasure(deps, ctx, erasure);
    } catch (error) {
      // It is retried at its due time; other erasures may be able to continue.
      ctx.log.warn({ err: error, accountId: erasure.accountId }, 'could not continue erasing an account');
    }
  }
}
