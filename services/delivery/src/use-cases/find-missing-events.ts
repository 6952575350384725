import { validationError } from '@fairlead/errors/api-error';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { DeliveryStore } from '../ports/delivery-store.ts';

export interface FindMissingEventsDeps {
  readonly deliveries: Pick<DeliveryStore, 'findMissing'>;
}

const MAX_IDS = 10_000;

/** Returns the ids without a recorded event, in any account. FORBIDDEN for users, VALIDATION_ERROR for more than 10 000. */
export async function findMissingEvents(
  { deliveries }: FindMissingEventsDeps,
  ctx: RequestContext,
  ids: readonly string[],
): Promise<readonly string[]> {
  requirePlatform(ctx);
  if (ids.length > MAX_IDS)
    throw validationError({ field: 'ids', issue: `must have at most ${String(MAX_IDS)} items` });
  return ids.length === 0 ? [] : await deliveries.findMissing(ids);
}
