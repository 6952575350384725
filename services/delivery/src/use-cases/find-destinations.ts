import { validationError } from '@fairlead/errors/api-error';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { DestinationStore } from '../ports/destination-store.ts';

const MAX_IDS = 100;

/** Returns the ids that belong to destinations of the account, unordered. VALIDATION_ERROR for more than 100. */
export async function findDestinations(
  { destinations }: { readonly destinations: Pick<DestinationStore, 'findIds'> },
  ctx: RequestContext,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length > MAX_IDS)
    throw validationError({ field: 'ids', issue: `must have at most ${String(MAX_IDS)} items` });
  return ids.length === 0 ? [] : await destinations.findIds(ctx, actingAccountOf(ctx), ids);
}
