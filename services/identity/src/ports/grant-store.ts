import type { AdapterPayload } from 'oidc-provider';
import type { AuditEvent } from '../domain/audit-event.ts';
import type { GrantOwner } from '../domain/grant.ts';

/** Stores grants, and revoked access tokens that have no grant. */
export interface GrantStore {
  /** Stores the grant and the event. False, with neither stored, if the account is closed. */
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
  /** Removes the grant and stores the event, both or neither; without such a grant, does nothing. The grant's tokens remain. */
  remove(id: string, event: AuditEvent): Promise<void>;
  /** Removes the grants of a client, a user or an account, with their tokens. */
  removeOf(owner: Partial<GrantOwner>): Promise<void>;
  revokeToken(tokenId: string, expiresAt: Date): Promise<void>;
  isTokenRevoked(tokenId: string): Promise<boolean>;
}
