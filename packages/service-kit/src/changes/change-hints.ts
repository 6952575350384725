import { ChangesRecordedSchema } from '@fairlead/contracts/common/v1/change_events_pb';
import { defineEvent } from '../nats/events.ts';
import type { Nats } from '../nats/nats.ts';
import type { Logger } from '../telemetry/logger.ts';

const changesRecorded = defineEvent(ChangesRecordedSchema);

/**
 * A function that tells readers of a service's changes that there are new ones; what is to be told while a message is on its way
 * is told by one more. Readers look for changes by themselves too, so a lost hint only costs time.
 */
export function createChangeHints(o: {
  readonly nats: Pick<Nats, 'publish'>;
  /** The service whose changes they are. */
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

/** Calls `onHint` whenever a service, which it names, says that it has recorded changes. */
export function subscribeToChangeHints(
  nats: Pick<Nats, 'subscribe'>,
  onHint: (service: string) => void,
): void {
  nats.subscribe(changesRecorded, ({ service }) => onHint(service));
}
