import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AwaitCachedReads } from '../ports/cached-reads.ts';
import type { DestinationStore } from '../ports/destination-store.ts';

interface DeleteDestinationDeps {
  readonly destinations: Pick<DestinationStore, 'delete'>;
  readonly awaitCachedReads: AwaitCachedReads;
  readonly clock: Clock;
}

/** Removes a destination; afterwards no request to it begins. NOT_FOUND if there is none. */
export async function deleteDestination(
  { destinations, awaitCachedReads, clock }: DeleteDestinationDeps,
  ctx: RequestContext,
  id: string,
): Promise<void> {
  if (!(await destinations.delete(ctx, accountOf(ctx), id, clock.now()))) throw notFound('destination');
  await awaitCachedReads();
}
