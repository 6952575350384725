import {
  ConnectionChangedSchema,
  ConnectionChangeKind as KindMessage,
} from '@fairlead/contracts/connections/v1/connection_changes_pb';
import type { NewChange } from '@fairlead/service-kit/changes/change-log';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { ConnectionChange, ConnectionChangeKind } from '../domain/connection-change.ts';
import { toLicence, toStatus } from './convert-connection.ts';

const connectionChanged = defineEvent(ConnectionChangedSchema);

const KINDS = {
  created: KindMessage.CREATED,
  deleted: KindMessage.DELETED,
  needsReauthentication: KindMessage.NEEDS_REAUTHENTICATION,
  recovered: KindMessage.RECOVERED,
  licenceChanged: KindMessage.LICENCE_CHANGED,
} as const satisfies Record<ConnectionChangeKind, KindMessage>;

/** Encodes a change as a change record. */
export function toChangeRecord(change: ConnectionChange): NewChange<typeof ConnectionChangedSchema> {
  const { kind, connection, occurredAt, reason } = change;
  return {
    accountId: connection.accountId,
    event: connectionChanged,
    occurredAt,
    message: {
      connectionId: connection.id,
      kind: KINDS[kind],
      applicationSlug: connection.applicationSlug,
      status: toStatus(connection, occurredAt),
      licence: toLicence(connection, occurredAt),
      ...(reason === undefined ? {} : { reason }),
      ...(connection.endUserId === null ? {} : { endUserId: connection.endUserId }),
    },
  };
}
