import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { guid } from '@fairlead/service-kit/ids';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { ChangeIdentity } from '../ports/identity-change.ts';

const identityChanged = defineEvent(IdentityChangedSchema);

/**
 * Publishes a change to every replica of the gateway before and after its write. After the first message, replicas cache the account for a
 * few seconds only, in case the writer dies half-way. The second message makes the change take effect at once and ends this period. The
 * write happens even if NATS is down, because an outage must not prevent the revocation of a key.
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
      // Also after a failure: a write that the database has not confirmed may still take effect.
      isDone = error instanceof ApiError;
      throw error;
    } finally {
      await publish(accountId, changeId, isDone);
    }
  };
}
