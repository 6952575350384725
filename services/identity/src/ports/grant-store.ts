import type { AdapterPayload } from 'oidc-provider';

/** The parties of a grant: the client acts as the user in the account. */
export interface GrantOwner {
  readonly accountId: string;
  readonly userId: string;
  readonly clientId: string;
}

/** Grants, and revoked access tokens that have no grant. */
export interface GrantStore {
  put(o: {
    readonly id: string;
    readonly owner: GrantOwner;
    readonly payload: AdapterPayload;
    readonly lifetimeSeconds: number;
  }): Promise<void>;
  find(id: string): Promise<{ readonly owner: GrantOwner; readonly payload: AdapterPayload } | undefined>;
  remove(id: string): Promise<void>;
  /** The ids of the grants of a client, a user or an account. */
  idsOf(owner: Partial<GrantOwner>): Promise<readonly string[]>;
  removeOf(owner: Partial<GrantOwner>): Promise<void>;
  revokeToken(tokenId: string, expiresAt: Date): Promise<void>;
  /** The account of the client, if the client still exists and the token was not revoked. */
  findClientToken(clientId: string, tokenId: string): Promise<{ readonly accountId: string } | undefined>;
  isTokenRevoked(tokenId: string): Promise<boolean>;
}
