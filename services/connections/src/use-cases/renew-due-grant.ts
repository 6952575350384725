import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Settlement } from '@fairlead/service-kit/sweep/claims';
import type { TokenRefresher } from './refresh-token.ts';

interface RenewDueGrantDeps {
  readonly refresher: Pick<TokenRefresher, 'refresh'>;
  readonly clock: Clock;
}

/** Renewals of an account that has too many in progress wait that long. */
const BUSY_MS = 60_000;

/**
 * Renews a grant that nobody has renewed for about a day, so that its vendor does not let it lapse. Undefined: the attempt
 * has written when the grant is due next, or that it is no longer.
 */
export async function renewDueGrant(
  { refresher, clock }: RenewDueGrantDeps,
  ctx: RequestContext,
  grant: Parameters<TokenRefresher['refresh']>[1],
): Promise<Settlement | undefined> {
  try {
    await refresher.refresh(ctx, grant);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED')) throw error;
    return { at: new Date(clock.now().getTime() + BUSY_MS) };
  }
}
