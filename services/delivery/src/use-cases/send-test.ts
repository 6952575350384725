import { createHash } from 'node:crypto';
import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { AttemptOutcome } from '../domain/outcome.ts';
import type { SendRequest } from '../ports/sender.ts';
import type { DeliveryTarget, Targets } from '../ports/targets.ts';

interface SendTestDeps {
  readonly targets: Targets;
  readonly send: SendRequest;
  readonly clock: Clock;
}

const PAYLOAD = { test: true };

/**
 * Sends a synthetic event of a trigger to a destination, enabled or not, and returns the outcome. Nothing is stored, and failures do not
 * count. NOT_FOUND if the account has no such destination.
 */
export async function sendTest(
  { targets, send, clock }: SendTestDeps,
  ctx: RequestContext,
  o: { readonly destinationId: string; readonly triggerId: string; readonly triggerType: string },
): Promise<AttemptOutcome> {
  const { destinationId, triggerId, triggerType } = o;
  const accountId = actingAccountOf(ctx);
  const read = async (): Promise<DeliveryTarget | undefined> => {
    const found = await targets.read(destinationId);
    return found?.accountId === accountId ? found : undefined;
  };
  const target = await read();
  if (target === undefined) throw notFound('destination');
  const eventId = prefixedId('te');
  const event = {
    id: eventId,
    type: triggerType,
    trigger_id: triggerId,
    occurred_at: clock.now().toISOString(),
    payload: PAYLOAD,
    payload_truncated: false,
    payload_hash: `sha256:${createHash('sha256').update(JSON.stringify(PAYLOAD)).digest('hex')}`,
  };
  const body = Buffer.from(JSON.stringify(event));
  const outcome = await send({ target, renew: read, eventId, triggerId, body, attempt: 1 });
  if (outcome === undefined) throw notFound('destination');
  return outcome;
}
