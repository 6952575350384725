import { ClientSessionChangedSchema } from '@fairlead/contracts/gateway/v1/client_session_events_pb';
import type { OnChange } from '@fairlead/service-kit/cache/change-tracker';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

const sessionChanged = defineEvent(ClientSessionChangedSchema);

/** Calls `onChange` with a session's key when more is known about its client. */
export function subscribeToSessionChanges(
  nats: Pick<Nats, 'subscribe'>,
  onChange: OnChange,
): EventSubscription {
  return nats.subscribe(sessionChanged, ({ sessionKey }) => onChange(sessionKey));
}

/** Publishes that more is known about a session's client. During an outage of NATS, replicas do not rely on these messages. */
export function announceSessionChanges(o: {
  readonly nats: Pick<Nats, 'publish'>;
  readonly log: Logger;
}): (key: string) => Promise<void> {
  return async (sessionKey) => {
    try {
      await o.nats.publish(sessionChanged, { sessionKey });
    } catch (error) {
      o.log.warn({ err: error }, 'cannot publish the change of a session');
    }
  };
}
