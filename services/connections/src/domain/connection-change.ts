import type { Connection } from './connection.ts';

/** What has happened to a connection. */
export type ConnectionChangeKind =
  'created' | 'deleted' | 'needsReauthentication' | 'recovered' | 'licenceChanged';

/** Something that has happened to a connection and that other services may have to know. */
export interface ConnectionChange {
  readonly kind: ConnectionChangeKind;
  /** As it is since then; a deleted one as it was. */
  readonly connection: Connection;
  /** For people, no secret in it; with `needsReauthentication` only. */
  readonly reason?: string;
  readonly occurredAt: Date;
}

/** Which changes lead from `former` to `present`; undefined: there was, or is, no connection. */
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
