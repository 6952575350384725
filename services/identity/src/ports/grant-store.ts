import type { AdapterPayload } from 'oidc-provider';
import type { AuditEvent } from '../domain/audit-event.ts';
import type { GrantOwner } from '../domain/grant.ts';

/** Grants, and revoked access tokens that have no grant. */
export interface GrantStore {
  /** Stores the grant and the event, or neither. False, with nothing stored, if the account is closed. */
  put(
    o: {
      readonly id: string;
      readonly owner: GrantOwner;
      readonly payload: AdapterPayload;
      readonly lifetimeSeconds: number;
    },
    event: AuditEvent,
  ): Promise<boolean>;
  find(id: string): Promise<{ readonly owner: GrantOwner; readonly payload: AdapterPayload } | undefined>;
  /** Removes the grant and stores the event, or neither; no event if there is no such grant. Its tokens remain. */
  remove(id: string, event: AuditEvent): Promise<void>;
  /** Removes the grants of a client, a user or an account, with their tokens. */
  removeOf(owner: Partial<GrantOwner>): Promise<void>;
  revokeToken(tokenId: string, expiresAt: Date): Promise<void>;
  isTokenRevoked(tokenId: string): Promise<boolean>;
}
