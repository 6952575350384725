import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { guid } from '@fairlead/service-kit/ids';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { ChangeIdentity } from '../ports/identity-change.ts';

const identityChanged = defineEvent(IdentityChangedSchema);

/**
 * Publishes the change to every replica of the gateway before the write and after it. The first message makes them cache the account for
 * seconds only for a while, so that a writer that dies half-way leaves nothing wrong for longer; the second makes the
 * change hold at once, and ends that time. While NATS is down the write happens all the same, because no outage may keep
 * a key from being revoked.
 */
export function announceIdentityChanges(o: { readonly nats: Nats; readonly log: Logger }): ChangeIdentity {
  const publish = async (accountId: string, changeId: string, isDone: boolean): Promise<void> => {
    try {
      await o.nats.publish(identityChanged, { accountId, changeId, isDone });
    } catch (error) {
      o.log.warn({ err: error, accountId }, 'cannot publish a change of identity data');
    }
  };
  return async (accountId, write) => {
    const changeId = guid();
    await publish(accountId, changeId, false);
    let isDone = true;
    try {
      return await write();
    } catch (error) {
      // A write that the database has not confirmed may still be made.
      isDone = error instanceof ApiError;
      throw error;
    } finally {
      await publish(accountId, changeId, isDone);
    }
  };
}
