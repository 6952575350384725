import { ChangesRecordedSchema } from '@fairlead/contracts/common/v1/change_events_pb';
import { defineEvent } from '../nats/events.ts';
import type { Nats } from '../nats/nats.ts';
import type { Logger } from '../telemetry/logger.ts';

const changesRecorded = defineEvent(ChangesRecordedSchema);

/**
 * Creates a function that tells readers of a service's changes that there are new ones. Calls while a message is
 * being sent are combined into one more message. Readers also poll, so a lost hint only costs time.
 */
export function createChangeHints(o: {
  readonly nats: Pick<Nats, 'publish'>;
  /** The service that records the changes. */
  readonly service: string;
  readonly log: Logger;
}): () => void {
  let isPublishing = false;
  let isDue = false;

  async function publishDue(): Promise<void> {
    isPublishing = true;
    while (isDue) {
      isDue = false;
      await o.nats.publish(changesRecorded, { service: o.service }).catch((error: unknown) => {
        o.log.debug({ err: error }, 'cannot tell readers of changes that there are new ones');
      });
    }
    isPublishing = false;
  }

  return () => {
    isDue = true;
    if (!isPublishing) void publishDue();
  };
}

/** Calls `onHint` with a service's name when it has recorded changes. */
export function subscribeToChangeHints(
  nats: Pick<Nats, 'subscribe'>,
  onHint: (service: string) => void,
): void {
  nats.subscribe(changesRecorded, ({ service }) => onHint(service));
}
