import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import type { OnChange } from '@fairlead/service-kit/cache/change-tracker';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';

const identityChanged = defineEvent(IdentityChangedSchema);

/** Calls `onChange` with the account of every change of identity data, when it is announced and when it is over. */
export function subscribeToIdentityChanges(
  nats: Pick<Nats, 'subscribe'>,
  onChange: OnChange,
): EventSubscription {
  return nats.subscribe(identityChanged, ({ accountId, changeId: id, isDone }) =>
    onChange(accountId, id === '' ? undefined : { id, isDone }),
  );
}
