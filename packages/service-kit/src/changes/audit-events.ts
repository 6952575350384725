import type { JsonObject } from '@bufbuild/protobuf';
import { AuditActorKind, AuditEventRecordedSchema } from '@fairlead/contracts/common/v1/audit_events_pb';
import type { ClientSession } from 'mongodb';
import { defineEvent } from '../nats/events.ts';
import type { ChangeLog } from './change-log.ts';

/** The kind of change for actions in the audit log. */
export const auditEventRecorded = defineEvent(AuditEventRecordedSchema);

/** An action of a service for the audit log. */
export interface RecordedAction {
  /** The account; undefined: none in particular, so the action is in the platform's own log. */
  readonly accountId: string | undefined;
  readonly actor: { readonly kind: 'user'; readonly userId: string } | { readonly kind: 'system' };
  /** `oauth.consentGranted` */
  readonly action: string;
  readonly resource?: { readonly type: string; readonly id: string };
  readonly requestId: string;
  /** Further details, never a secret. Limit the parts that a tenant controls, because they are stored unchanged. */
  readonly details?: JsonObject;
  readonly occurredAt: Date;
}

/**
 * Records an action in the transaction that performs it, so that both or neither are stored. The gateway fetches the
 * event and writes the audit entry, usually within two seconds.
 */
export function recordAuditEvent(
  changeLog: Pick<ChangeLog, 'append'>,
  session: ClientSession,
  { accountId = '', actor, action, resource, requestId, details, occurredAt }: RecordedAction,
): Promise<void> {
  return changeLog.append(session, {
    accountId,
    event: auditEventRecorded,
    message: {
      ...(actor.kind === 'user'
        ? { actorKind: AuditActorKind.USER, userId: actor.userId }
        : { actorKind: AuditActorKind.SYSTEM }),
      action,
      ...(resource && { resourceType: resource.type, resourceId: resource.id }),
      requestId,
      ...(details && { detailsJson: Buffer.from(JSON.stringify(details)) }),
    },
    occurredAt,
  });
}
