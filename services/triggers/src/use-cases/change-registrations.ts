import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { WebhookStore } from '../ports/webhook-store.ts';

export interface ChangeRegistrationsDeps {
  readonly webhooks: Pick<WebhookStore, 'schedule'>;
  readonly clock: Clock;
}

/** Longer than the write of a trigger takes. */
const WRITTEN_MS = 30_000;

/**
 * Makes a change after which a trigger may want no registration or another one at its vendor, and has its registrations looked at
 * once it is made, also if this process dies meanwhile.
 */
export async function changeRegistrations<T>(
  { webhooks, clock }: ChangeRegistrationsDeps,
  ctx: RequestContext,
  { accountId, triggerId }: { readonly accountId: string; readonly triggerId: string },
  change: () => Promise<T>,
): Promise<T> {
  const later = new Date(clock.now().getTime() + WRITTEN_MS);
  await webhooks.schedule(ctx, accountId, { triggerId }, later);
  const changed = await change();
  await webhooks.schedule(ctx, accountId, { triggerId }, clock.now()).catch((error: unknown) => {
    // They are looked at a little later.
    ctx.log.warn({ err: error }, 'the registrations of a trigger could not be looked at at once');
  });
  return changed;
}
