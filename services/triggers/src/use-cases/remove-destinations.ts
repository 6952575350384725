import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { TriggerStore } from '../ports/trigger-store.ts';

interface RemoveDestinationsDeps {
  readonly triggers: Pick<TriggerStore, 'removeDestinations'>;
  readonly clock: Clock;
}

/** Removes destinations from every trigger of the account. */
export async function removeDestinations(
  { triggers, clock }: RemoveDestinationsDeps,
  ctx: RequestContext,
  ids: readonly string[],
): Promise<void> {
  await triggers.removeDestinations(ctx, accountOf(ctx), ids, clock.now());
}
