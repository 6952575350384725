import { DestinationDeletedSchema } from '@fairlead/contracts/delivery/v1/destination_changes_pb';
import type { NewChange } from '@fairlead/service-kit/changes/change-log';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { RecordedAction } from '@fairlead/service-kit/changes/audit-events';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { Deletion, Disabling } from '../domain/destination.ts';

const destinationDeleted = defineEvent(DestinationDeletedSchema);

/** Encodes the deletion of a destination as a change record. */
export function toDeletionRecord({
  accountId,
  destinationId,
  occurredAt,
}: Deletion): NewChange<typeof DestinationDeletedSchema> {
  return { accountId, event: destinationDeleted, message: { destinationId }, occurredAt };
}

/** The audit log entry for a destination that was disabled by failures; no user requested it. */
export function toDisablingAction({
  accountId,
  destinationId,
  failures,
  occurredAt,
}: Disabling): RecordedAction {
  return {
    accountId,
    actor: { kind: 'system' },
    action: 'destination.disabled',
    resource: { type: 'destination', id: destinationId },
    requestId: uuidv7(occurredAt),
    details: { reason: 'consecutive_failures', consecutiveFailures: failures },
    occurredAt,
  };
}
