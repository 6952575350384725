import { ApiError } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Toolset } from '../domain/toolset.ts';
import type { HourlyCalls } from '../ports/hourly-calls.ts';

/** What admitCall needs. */
export interface AdmitCallDeps {
  readonly hourlyCalls: HourlyCalls;
}

/**
 * Admits a call that runs at once, by the policy of the toolset that it is confined to (undefined: none).
 * RATE_LIMIT_EXCEEDED if the toolset's calls of the hour are used up; such a call counts as none.
 */
export async function admitCall(
  { hourlyCalls }: AdmitCallDeps,
  ctx: RequestContext,
  toolset: Pick<Toolset, 'id' | 'policy'> | undefined,
): Promise<void> {
  const callsPerHour = toolset?.policy?.callsPerHour ?? null;
  if (toolset === undefined || callsPerHour === null) return;
  const counted = await hourlyCalls.take(accountOf(ctx), toolset.id, callsPerHour);
  switch (counted.outcome) {
    case 'admitted':
      return;
    case 'refused':
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        `The toolset permits ${callsPerHour} calls an hour, which are used up. Nothing was executed.`,
        { retryAfterSeconds: counted.retryAfterSeconds },
      );
    case 'unavailable':
      throw new ApiError('UNAVAILABLE', 'The call cannot be counted now. Nothing was executed; try again.');
  }
}
