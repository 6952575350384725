import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import { guid } from '@fairlead/service-kit/ids';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';

const changed = defineEvent(IdentityChangedSchema);

/** Makes a change as the identity service does: publishes the account before and after it. */
export async function untilAnnounced(
  nats: Nats,
  accountId: string,
  write: () => Promise<void> | void,
): Promise<void> {
  const changeId = guid();
  await nats.publish(changed, { accountId, changeId, isDone: false });
  await write();
  await nats.publish(changed, { accountId, changeId, isDone: true });
}
