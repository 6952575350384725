import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Settlement } from '@fairlead/service-kit/sweep/claims';
import type { TokenRefresher } from './refresh-token.ts';

interface RenewDueGrantDeps {
  readonly refresher: Pick<TokenRefresher, 'refresh'>;
  readonly clock: Clock;
}

/** Delay if too many of the account's renewals are in progress. */
const BUSY_MS = 60_000;

/**
 * Renews a grant that was not renewed for about a day, so that the vendor does not let it lapse. Undefined: the attempt itself has stored
 * when the grant is due next.
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
