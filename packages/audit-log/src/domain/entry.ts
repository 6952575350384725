import type { AuditActor, AuditEvent } from './event.ts';

/** The log of events that concern no particular account. */
export const PLATFORM_LOG = 'platform';

/** One entry of an account's audit log. It is never changed, and is removed only when it expires. */
export interface AuditEntry {
  /** `aud_…` */
  readonly id: string;
  /** The account, or PLATFORM_LOG. */
  readonly accountId: string;
  readonly createdAt: Date;
  /** The time from which it may be removed. */
  readonly expiresAt: Date;
  readonly actor: AuditActor;
  readonly action: string;
  readonly resource: { readonly type: string; readonly id: string } | null;
  readonly outcome: AuditEvent['outcome'];
  readonly requestId: string;
  /** JSON text of an object, because its members may have names that a MongoDB document does not allow. */
  readonly details: string | null;
}

/**
 * The canonical text of an entry, for its hash: one JSON array with every member in a fixed order, so that the text
 * does not depend on the order in which a database stores members.
 */
export function canonicalEntry(entry: AuditEntry): string {
  const { actor, resource } = entry;
  return JSON.stringify([
    'fairlead-audit-entry-v1',
    entry.id,
    entry.accountId,
    entry.createdAt.toISOString(),
    entry.expiresAt.toISOString(),
    actor.kind,
    actor.userId ?? null,
    actor.credentialType ?? null,
    actor.credentialId ?? null,
    entry.action,
    resource?.type ?? null,
    resource?.id ?? null,
    entry.outcome,
    entry.requestId,
    entry.details,
  ]);
}
