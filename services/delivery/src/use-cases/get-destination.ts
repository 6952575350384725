import { notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Destination } from '../domain/destination.ts';
import type { DestinationStore } from '../ports/destination-store.ts';

/** The account's destination with that id; NOT_FOUND if there is none. */
export async function getDestination(
  { destinations }: { readonly destinations: Pick<DestinationStore, 'find'> },
  ctx: RequestContext,
  id: string,
): Promise<Destination> {
  const destination = await destinations.find(ctx, accountOf(ctx), id);
  if (destination === undefined) throw notFound('destination');
  return destination;
}
