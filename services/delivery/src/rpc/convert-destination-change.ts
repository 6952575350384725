import { DestinationDeletedSchema } from '@fairlead/contracts/delivery/v1/destination_changes_pb';
import type { NewChange } from '@fairlead/service-kit/changes/change-log';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Deletion } from '../domain/destination.ts';

const destinationDeleted = defineEvent(DestinationDeletedSchema);

/** The change record of a deleted destination. */
export function toDeletionRecord({
  accountId,
  destinationId,
  occurredAt,
}: Deletion): NewChange<typeof DestinationDeletedSchema> {
  return { accountId, event: destinationDeleted, message: { destinationId }, occurredAt };
}
