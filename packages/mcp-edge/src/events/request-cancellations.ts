import { RequestCancelledSchema } from '@fairlead/contracts/gateway/v1/client_session_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { CancellationPipe } from '../interaction/running-requests.ts';

const requestCancelled = defineEvent(RequestCancelledSchema);

/** Sends cancellations of requests over NATS. During an outage, they do not reach other replicas. */
export function natsCancellations({
  nats,
  log,
}: {
  readonly nats: Pick<Nats, 'publish' | 'subscribe'>;
  readonly log: Logger;
}): CancellationPipe {
  return {
    publish({ sessionKey, requestId }) {
      nats
        .publish(requestCancelled, { sessionKey, requestIdJson: requestId })
        .catch((error: unknown) => log.warn({ err: error }, 'cannot publish the cancellation of a request'));
    },
    subscribe(onCancel) {
      nats.subscribe(requestCancelled, ({ sessionKey, requestIdJson }) =>
        onCancel({ sessionKey, requestId: requestIdJson }),
      );
    },
  };
}
