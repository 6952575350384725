import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';

const identityChanged = defineEvent(IdentityChangedSchema);

/** Calls `onChange` with the account of every change of identity data. */
export function subscribeToIdentityChanges(
  nats: Pick<Nats, 'subscribe'>,
  onChange: (accountId: string) => void,
): EventSubscription {
  return nats.subscribe(identityChanged, ({ accountId }) => onChange(accountId));
}
