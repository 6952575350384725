import type { JsonObject } from '@bufbuild/protobuf';

/** Who did something: a user of an account, the operator of the platform, or the platform itself. */
export interface AuditActor {
  readonly kind: 'user' | 'operator' | 'system';
  readonly userId?: string;
  readonly credentialType?: string;
  /** The record of the credential, never the credential. */
  readonly credentialId?: string;
}

/** One thing that was done, or is about to be. */
export interface AuditEvent {
  /** Undefined where it is about no account in particular. */
  readonly accountId: string | undefined;
  readonly actor: AuditActor;
  /** An operation id, such as `createConnection`, or what the platform does by itself, such as `account.erased`. */
  readonly action: string;
  readonly resource?: { readonly type: string; readonly id: string };
  /** `attempted`: recorded before it was done, because it may not happen without an entry. */
  readonly outcome: 'attempted' | 'succeeded' | 'failed';
  readonly requestId: string;
  /** What else is worth knowing; never a secret, in plain or hashed. */
  readonly details?: JsonObject;
}
