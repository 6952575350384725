import type { JsonObject } from '@bufbuild/protobuf';

/** Who did something: a user of an account, the operator of the platform, or the platform itself. */
export interface AuditActor {
  readonly kind: 'user' | 'operator' | 'system';
  readonly userId?: string;
  readonly credentialType?: string;
  /** The id of the credential, never the credential itself. */
  readonly credentialId?: string;
}

/** One action that was done, or is about to be done. */
export interface AuditEvent {
  /** Undefined if it concerns no particular account. */
  readonly accountId: string | undefined;
  readonly actor: AuditActor;
  /** An operation id, such as `createConnection`, or an action of the platform itself, such as `account.erased`. */
  readonly action: string;
  readonly resource?: { readonly type: string; readonly id: string };
  /** `attempted`: recorded before the action, because it must not happen without an entry. */
  readonly outcome: 'attempted' | 'succeeded' | 'failed';
  readonly requestId: string;
  /** Further details; never a secret, neither in plain text nor hashed. */
  readonly details?: JsonObject;
}

/** An event that another service recorded with its change. */
export interface FetchedEvent {
  /** The id of its entry: the same each time that the event is fetched. */
  readonly entryId: string;
  readonly occurredAt: Date;
  readonly event: AuditEvent;
}
