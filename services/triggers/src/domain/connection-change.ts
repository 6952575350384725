/** The kinds of changes of a connection, named as the types of the triggers that fire for them. */
export type ConnectionChangeType =
  'connection_needs_reauthentication' | 'connection_created' | 'connection_recovered' | 'connection_deleted';

/** A change of a connection that triggers fire for. */
export interface ConnectionChange {
  /** The same whenever the change is read. */
  readonly id: string;
  readonly accountId: string;
  readonly triggerTypeSlug: ConnectionChangeType;
  readonly connectionId: number;
  readonly applicationSlug: string;
  /** Null: it is nobody's in particular. */
  readonly endUserId: string | null;
  /** The vendor's words when it refused the grant; otherwise null. */
  readonly reason: string | null;
  readonly occurredAt: Date;
}

/** A destination that was deleted. */
export interface DestinationDeletion {
  readonly accountId: string;
  readonly destinationId: string;
}

/** The payload of the events of a change, as JSON in UTF-8. Source: row completion.triggers.16. */
export function changePayload(change: ConnectionChange): Uint8Array {
  const { connectionId, applicationSlug, endUserId, reason } = change;
  return Buffer.from(JSON.stringify({ connectionId, applicationSlug, endUserId, reason }));
}
