import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import type { OnChange } from '@fairlead/service-kit/cache/change-tracker';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';

const identityChanged = defineEvent(IdentityChangedSchema);

/** Calls `onChange` with the account of each change of identity data: once when the change is announced, once when it is written. */
export function subscribeToIdentityChanges(
  nats: Pick<Nats, 'subscribe'>,
  onChange: OnChange,
): EventSubscription {
  return nats.subscribe(identityChanged, ({ accountId, changeId: id, isDone }) =>
    onChange(accountId, id === '' ? undefined : { id, isDone }),
  );
}
