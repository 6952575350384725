import { timestampDate } from '@bufbuild/protobuf/wkt';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import type { Change } from '@fairlead/contracts/common/v1/change_service_pb';
import {
  ConnectionChangedSchema,
  ConnectionChangeKind,
} from '@fairlead/contracts/connections/v1/connection_changes_pb';
import { DestinationDeletedSchema } from '@fairlead/contracts/delivery/v1/destination_changes_pb';
import { derivedId } from '@fairlead/service-kit/ids';
import { decodeEvent, defineEvent } from '@fairlead/service-kit/nats/events';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type {
  ConnectionChange,
  ConnectionChangeType,
  DestinationDeletion,
} from '../domain/connection-change.ts';
import type { ChangeSource } from '../ports/changes.ts';

const connectionChanged = defineEvent(ConnectionChangedSchema);
const destinationDeleted = defineEvent(DestinationDeletedSchema);

const PAGE = 500;
/** Timeout of a read; shorter than the lease of its reader. */
const CALL_LIMIT_MS = 5_000;

/** Changes of connections of all accounts. */
export function createConnectionChanges(o: RpcClientOptions): ChangeSource<ConnectionChange> {
  return createSource('connections', o, (change) =>
    change.subject === connectionChanged.subject ? connectionChangeOf(change) : undefined,
  );
}

/** Deletions of destinations of all accounts. */
export function createDestinationDeletions(o: RpcClientOptions): ChangeSource<DestinationDeletion> {
  return createSource('delivery', o, ({ subject, accountId, payload }) => {
    if (subject !== destinationDeleted.subject) return undefined;
    return { accountId, destinationId: decodeEvent(destinationDeleted, payload).destinationId };
  });
}

/** The changes of a service; those for which `read` returns undefined are skipped. */
function createSource<T>(
  name: string,
  o: RpcClientOptions,
  read: (change: Change) => T | undefined,
): ChangeSource<T> {
  const service = createRpcClient(ChangeService, o);
  return {
    name,
    async read(ctx, cursor) {
      const request = { cursor, limit: PAGE };
      const page = await service.listChanges(ctx, request, { timeoutMs: CALL_LIMIT_MS });
      const changes = page.changes.map(read).filter((change) => change !== undefined);
      return { changes, nextCursor: page.nextCursor, hasMore: page.hasMore };
    },
  };
}

/** Undefined: no trigger fires for it. */
function connectionChangeOf({
  accountId,
  number,
  occurredAt,
  payload,
}: Change): ConnectionChange | undefined {
  const message = decodeEvent(connectionChanged, payload);
  const triggerTypeSlug = typeOf(message.kind);
  if (triggerTypeSlug === undefined || occurredAt === undefined) return undefined;
  const time = timestampDate(occurredAt);
  const { connectionId, applicationSlug, endUserId = null, reason = null } = message;
  return {
    // Not the number alone, because a service reuses numbers after its database was restored (ADR 19).
    id: derivedId('chg', JSON.stringify([String(number), time, Buffer.from(payload).toString('base64')])),
    accountId,
    triggerTypeSlug,
    connectionId,
    applicationSlug,
    endUserId,
    reason,
    occurredAt: time,
  };
}

function typeOf(kind: ConnectionChangeKind): ConnectionChangeType | undefined {
  switch (kind) {
    case ConnectionChangeKind.CREATED:
      return 'connection_created';
    case ConnectionChangeKind.DELETED:
      return 'connection_deleted';
    case ConnectionChangeKind.NEEDS_REAUTHENTICATION:
      return 'connection_needs_reauthentication';
    case ConnectionChangeKind.RECOVERED:
      return 'connection_recovered';
    case ConnectionChangeKind.LICENCE_CHANGED:
    case ConnectionChangeKind.UNSPECIFIED:
      return undefined;
    default:
      // An unknown kind, from a newer release.
      return undefined;
  }
}
