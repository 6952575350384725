import type { JsonObject } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { AuditEventRecorded } from '@fairlead/contracts/common/v1/audit_events_pb';
import { AuditActorKind } from '@fairlead/contracts/common/v1/audit_events_pb';
import type { Change, ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { auditEventRecorded } from '@fairlead/service-kit/changes/audit-events';
import { derivedId } from '@fairlead/service-kit/ids';
import { decodeEvent } from '@fairlead/service-kit/nats/events';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { AuditActor, FetchedEvent } from '../domain/event.ts';
import type { EventSource, UnreadableEvent } from '../ports/event-source.ts';

/** A service whose changes include audit events, and the client that lists them. */
export interface ChangeSource {
  readonly name: string;
  readonly changes: Pick<RpcClient<typeof ChangeService>, 'listChanges'>;
}

/** A request must not take longer than the lease lasts. */
const CALL_LIMIT_MS = 5_000;

/** The audit events among the change records of a service. Changes of other kinds are skipped. */
export function createEventSource({ name, changes }: ChangeSource): EventSource {
  return {
    name,
    async read(ctx, cursor, limit) {
      const page = await changes.listChanges(ctx, { cursor, limit }, { timeoutMs: CALL_LIMIT_MS });
      const events: FetchedEvent[] = [];
      const unreadable: UnreadableEvent[] = [];
      for (const change of page.changes) {
        if (change.subject !== auditEventRecorded.subject) continue;
        const event = readEvent(name, change);
        if (typeof event === 'string') unreadable.push({ number: String(change.number), problem: event });
        else events.push(event);
      }
      return { events, unreadable, nextCursor: page.nextCursor, hasMore: page.hasMore };
    },
  };
}

/** The event of a change, or the problem that prevents reading it. */
function readEvent(service: string, change: Change): FetchedEvent | string {
  const { accountId, number, occurredAt, payload } = change;
  const message = decoded(payload);
  if (message === undefined) return 'The payload is not an AuditEventRecorded.';
  const actor = actorOf(message);
  if (actor === undefined) return 'The actor is neither a user with an id nor the system.';
  const { action, resourceType, resourceId, requestId } = message;
  if (action === '') return 'The action has no name.';
  if ((resourceType === '') !== (resourceId === '')) return 'The resource has no type or no id.';
  const details = detailsOf(message);
  if (details === 'invalid') return 'The details are not the JSON text of an object.';
  if (occurredAt === undefined) return 'The change has no time.';
  const time = timestampDate(occurredAt);
  return {
    // The id does not depend on the number alone, because a service assigns numbers again after its database was restored (ADR 19).
    entryId: derivedId(
      'aud',
      JSON.stringify([service, String(number), time, Buffer.from(payload).toString('base64')]),
    ),
    occurredAt: time,
    event: {
      accountId: accountId === '' ? undefined : accountId,
      actor,
      action,
      ...(resourceType !== '' && { resource: { type: resourceType, id: resourceId } }),
      outcome: 'succeeded',
      requestId,
      ...(details && { details }),
    },
  };
}

function decoded(payload: Uint8Array): AuditEventRecorded | undefined {
  try {
    return decodeEvent(auditEventRecorded, payload);
  } catch {
    return undefined;
  }
}

function actorOf({ actorKind, userId }: AuditEventRecorded): AuditActor | undefined {
  switch (actorKind) {
    case AuditActorKind.USER:
      return userId === '' ? undefined : { kind: 'user', userId };
    case AuditActorKind.SYSTEM:
      return { kind: 'system' };
    case AuditActorKind.UNSPECIFIED:
      return undefined;
    default:
      // A service sends a new kind only one release after the release that declares it (ADR 18).
      return undefined;
  }
}

function detailsOf({ detailsJson }: AuditEventRecorded): JsonObject | 'invalid' | undefined {
  if (detailsJson.length === 0) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(detailsJson));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    // JSON.parse returns nothing but JSON values.
    return isObject ? (value as JsonObject) : 'invalid';
  } catch {
    return 'invalid';
  }
}
