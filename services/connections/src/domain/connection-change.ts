import type { Connection } from './connection.ts';

/** The kind of a connection's change. */
export type ConnectionChangeKind =
  'created' | 'deleted' | 'needsReauthentication' | 'recovered' | 'licenceChanged';

/** A change of a connection that other services may need to know about. */
export interface ConnectionChange {
  readonly kind: ConnectionChangeKind;
  /** The connection after the change; a deleted one as it was before the deletion. */
  readonly connection: Connection;
  /** Reason for people, without secrets. Only with `needsReauthentication`. */
  readonly reason?: string;
  readonly occurredAt: Date;
}

/** The changes between `former` and `present`; undefined: the connection did not exist, or was deleted. */
export function kindsOfChange(
  former: Connection | undefined,
  present: Connection | undefined,
): readonly ConnectionChangeKind[] {
  if (former === undefined) return present === undefined ? [] : ['created'];
  if (present === undefined) return ['deleted'];
  const kinds: ConnectionChangeKind[] = [];
  if (former.needsReauthentication !== present.needsReauthentication)
    kinds.push(present.needsReauthentication ? 'needsReauthentication' : 'recovered');
  const isSameLicence =
    former.licence.status === present.licence.status &&
    former.licence.expiresAt?.getTime() === present.licence.expiresAt?.getTime();
  if (!isSameLicence) kinds.push('licenceChanged');
  return kinds;
}
