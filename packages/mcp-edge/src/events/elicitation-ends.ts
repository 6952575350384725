import { ElicitationCompletedSchema } from '@fairlead/contracts/gateway/v1/client_session_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

/** An elicitation that its user has completed. */
export interface CompletedElicitation {
  readonly userId: string;
  readonly elicitationId: string;
}

const completed = defineEvent(ElicitationCompletedSchema);

/** Calls `onEnd` with each elicitation that a user has completed at any replica. Messages may be lost. */
export function subscribeToElicitationEnds(
  nats: Pick<Nats, 'subscribe'>,
  onEnd: (elicitation: CompletedElicitation) => void,
): void {
  nats.subscribe(completed, ({ userId, elicitationId }) => onEnd({ userId, elicitationId }));
}

/** Publishes that a user has completed an elicitation. */
export function announceElicitationEnds(o: {
  readonly nats: Pick<Nats, 'publish'>;
  readonly log: Logger;
}): (elicitation: CompletedElicitation) => void {
  return (elicitation) => {
    o.nats
      .publish(completed, elicitation)
      .catch((error: unknown) => o.log.warn({ err: error }, 'cannot publish the end of an elicitation'));
  };
}
