import { ClientSessionEndedSchema } from '@fairlead/contracts/gateway/v1/client_session_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

const sessionEnded = defineEvent(ClientSessionEndedSchema);

/** Calls `onEnd` with the key of each session that a client ends. */
export function subscribeToSessionEnds(
  nats: Pick<Nats, 'subscribe'>,
  onEnd: (key: string) => void,
): EventSubscription {
  return nats.subscribe(sessionEnded, ({ sessionKey }) => onEnd(sessionKey));
}

/** Publishes the end of a session. During an outage of NATS, replicas do not rely on these messages. */
export function announceSessionEnds(o: {
  readonly nats: Pick<Nats, 'publish'>;
  readonly log: Logger;
}): (key: string) => Promise<void> {
  return async (sessionKey) => {
    try {
      await o.nats.publish(sessionEnded, { sessionKey });
    } catch (error) {
      o.log.warn({ err: error }, 'cannot publish the end of a session');
    }
  };
}
