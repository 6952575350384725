import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { Destination } from '../domain/destination.ts';
import type { DestinationStore } from '../ports/destination-store.ts';

/** One page of the account's destinations, newest first, with the total number. */
export async function listDestinations(
  { destinations }: { readonly destinations: Pick<DestinationStore, 'list'> },
  ctx: RequestContext,
  page: Page,
): Promise<CountedPage<Destination>> {
  return await destinations.list(ctx, accountOf(ctx), page);
}
