import type { Connection } from './connection.ts';

/** The kind of a change of a connection. */
export type ConnectionChangeKind =
  'created' | 'deleted' | 'needsReauthentication' | 'recovered' | 'licenceChanged';

/** A change of a connection that other services may need to know about. */
export interface ConnectionChange {
  readonly kind: ConnectionChangeKind;
  /** The connection after the change; a deleted one as it was before. */
  readonly connection: Connection;
  /** For people; holds no secret. Only with `needsReauthentication`. */
  readonly reason?: string;
  readonly occurredAt: Date;
}

/** Which changes lead from `former` to `present`; undefined: the connection did not exist, or no longer does. */
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
