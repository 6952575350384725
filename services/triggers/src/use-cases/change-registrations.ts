import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { WebhookStore } from '../ports/webhook-store.ts';

export interface ChangeRegistrationsDeps {
  readonly webhooks: Pick<WebhookStore, 'schedule'>;
  readonly clock: Clock;
}

/** Longer than writing a trigger takes. */
const WRITTEN_MS = 30_000;

/**
 * Makes a change after which a trigger may need another registration at its vendor, or none, and schedules a check of its registrations for
 * afterwards. The check happens even if this process dies in between.
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
    // Best effort: the check scheduled before the change comes a little later.
    ctx.log.warn({ err: error }, 'could not check the registrations of a trigger at once');
  });
  return changed;
}
