import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';
import type { ChangeIdentity } from '../ports/identity-change.ts';

const identityChanged = defineEvent(IdentityChangedSchema);

/**
 * Tells every gateway before the write and after it: the first word makes them remember only for seconds for a while, so
 * that a writer that dies half-way leaves nothing wrong for longer; the second makes the change hold at once. Where NATS
 * is away the write happens all the same, because no outage may keep a key from being revoked.
 */
export function announceIdentityChanges(o: { readonly nats: Nats; readonly log: Logger }): ChangeIdentity {
  const tell = async (accountId: string): Promise<void> => {
    try {
      await o.nats.publish(identityChanged, { accountId });
    } catch (error) {
      o.log.warn({ err: error, accountId }, 'could not tell of a change of identity data');
    }
  };
  return async (accountId, write) => {
    await tell(accountId);
    try {
      return await write();
    } finally {
      await tell(accountId);
    }
  };
}

/** Calls `onChange` with the account of every change that any process tells of. */
export function hearIdentityChanges(nats: Nats, onChange: (accountId: string) => void): EventSubscription {
  return nats.subscribe(identityChanged, ({ accountId }) => onChange(accountId));
}
