import type { AuditActor, AuditEvent } from './event.ts';

/** The log of what concerns no account in particular. */
export const PLATFORM_LOG = 'platform';

/** One line of an account's audit log. It is never changed; only its time ends it. */
export interface AuditEntry {
  /** `aud_…` */
  readonly id: string;
  /** The account, or PLATFORM_LOG. */
  readonly accountId: string;
  readonly createdAt: Date;
  /** When it may be removed. */
  readonly expiresAt: Date;
  readonly actor: AuditActor;
  readonly action: string;
  readonly resource: { readonly type: string; readonly id: string } | null;
  readonly outcome: AuditEvent['outcome'];
  readonly requestId: string;
  /** JSON text of an object: its members may have names that a document's may not. */
  readonly details: string | null;
}

/**
 * The text of an entry that its hash is made from: one JSON array with every member in a fixed order, so that an entry has
 * one text whatever order a database keeps its members in.
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
