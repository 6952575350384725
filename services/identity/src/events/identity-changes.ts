import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { ChangeIdentity } from '../ports/identity-change.ts';

const identityChanged = defineEvent(IdentityChangedSchema);

/**
 * Publishes the change to every replica of the gateway before the write and after it. The first message makes them cache
 * the account for seconds only for a while, so that a writer that dies half-way leaves nothing wrong for longer; the second makes the
 * change hold at once. While NATS is down the write happens all the same, because no outage may keep a key from being
 * revoked.
 */
export function announceIdentityChanges(o: { readonly nats: Nats; readonly log: Logger }): ChangeIdentity {
  const publish = async (accountId: string): Promise<void> => {
    try {
      await o.nats.publish(identityChanged, { accountId });
    } catch (error) {
      o.log.warn({ err: error, accountId }, 'cannot publish a change of identity data');
    }
  };
  return async (accountId, write) => {
    await publish(accountId);
    try {
      return await write();
    } finally {
      await publish(accountId);
    }
  };
}
