import { notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { checkChange } from '../domain/destination.ts';
import type { Destination, DestinationChange } from '../domain/destination.ts';
import type { AwaitCachedReads } from '../ports/cached-reads.ts';
import type { DestinationStore } from '../ports/destination-store.ts';
import type { WakeAttempts } from '../ports/due-attempts.ts';

interface UpdateDestinationDeps {
  readonly destinations: Pick<DestinationStore, 'update'>;
  readonly awaitCachedReads: AwaitCachedReads;
  readonly wakeAttempts: WakeAttempts;
  readonly clock: Clock;
}

/**
 * Changes a destination and returns it; afterwards no request begins with the former members. VALIDATION_ERROR for invalid members,
 * NOT_FOUND if there is none.
 */
export async function updateDestination(
  { destinations, awaitCachedReads, wakeAttempts, clock }: UpdateDestinationDeps,
  ctx: RequestContext,
  id: string,
  sentChange: DestinationChange,
): Promise<Destination> {
  const change = checkChange(sentChange);
  const outcome = await destinations.update(ctx, accountOf(ctx), id, change, clock.now());
  switch (outcome.kind) {
    case 'missing':
      throw notFound('destination');
    case 'unknownHeaders':
      throw validationError(
        ...outcome.names.map((name) => ({ field: `headers.${name}`, issue: 'needs a value: it has none' })),
      );
    case 'changed':
      await awaitCachedReads();
      if (change.isEnabled === true) wakeAttempts();
      return outcome.destination;
  }
}
