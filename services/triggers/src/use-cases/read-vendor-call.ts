import { hash } from 'node:crypto';
import { isSigned, readReport } from '@fairlead/connector-runtime/triggers/webhook-call';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { namedHeaders } from '../domain/hook-call.ts';
import type { CallReport, HookCall, HookOutcome } from '../domain/hook-call.ts';
import type { FiringStore, FiringTrigger } from '../ports/trigger-store.ts';
import type { TriggerTypes } from '../ports/trigger-types.ts';
import type { RegisteredWebhook } from '../ports/webhook-store.ts';

interface ReadVendorCallDeps {
  readonly types: TriggerTypes;
  readonly firings: Pick<FiringStore, 'noteError'>;
  readonly clock: Clock;
}

const UNREADABLE = 'The application called with a body that does not fit the type of the trigger.';

/**
 * Verifies and reads a vendor's call to a registered address. A call without the registration's signature is refused. A signed call that
 * cannot be read becomes no event; its error is recorded, and it is accepted, because the vendor would only repeat it.
 */
export async function readVendorCall(
  { types, firings, clock }: ReadVendorCallDeps,
  ctx: RequestContext,
  o: { readonly webhook: RegisteredWebhook; readonly trigger: FiringTrigger; readonly call: HookCall },
): Promise<CallReport | HookOutcome> {
  const { webhook, trigger, call } = o;
  const { accountId, triggerTypeSlug } = webhook;
  const caller = { kind: 'serviceForAccount', service: 'triggers', accountId } as const;
  const { requestId, signal, log } = ctx;
  const type = await types.resolve(createRequestContext({ requestId, caller, signal, log }), triggerTypeSlug);
  if (type.webhook === null) return { kind: 'notFound' };
  const now = clock.now();
  const secret = await webhook.signingSecret();
  const received = { headers: Object.fromEntries(namedHeaders(call.headers)), body: call.body };
  if (!isSigned(type.webhook.signature, secret.reveal(), received, now)) return { kind: 'unauthorized' };
  const report = readReport(type.webhook, call.body);
  if (report === undefined) {
    await firings.noteError(trigger, UNREADABLE);
    return { kind: 'filtered' };
  }
  const { deliveryId, occurredAt = now, payload } = report;
  return { payload, occurredAt, firingKey: `vendor:${hash('sha256', deliveryId, 'base64url')}` };
}
