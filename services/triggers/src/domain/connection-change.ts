/** The kinds of connection changes; each is the name of the trigger type that fires for it. */
export type ConnectionChangeType =
  'connection_needs_reauthentication' | 'connection_created' | 'connection_recovered' | 'connection_deleted';

/** A change of a connection for which triggers fire. */
export interface ConnectionChange {
  /** Stable: the same each time the change is read. */
  readonly id: string;
  readonly accountId: string;
  readonly triggerTypeSlug: ConnectionChangeType;
  readonly connectionId: number;
  readonly applicationSlug: string;
  /** The end user who owns the connection; null: the account. */
  readonly endUserId: string | null;
  /** The vendor's text when it refused the grant; otherwise null. */
  readonly reason: string | null;
  readonly occurredAt: Date;
}

/** A deleted destination. */
export interface DestinationDeletion {
  readonly accountId: string;
  readonly destinationId: string;
}

/** The payload of a change's events, as JSON in UTF-8. Source: row completion.triggers.16. */
export function changePayload(change: ConnectionChange): Uint8Array {
  const { connectionId, applicationSlug, endUserId, reason } = change;
  return Buffer.from(JSON.stringify({ connectionId, applicationSlug, endUserId, reason }));
}
