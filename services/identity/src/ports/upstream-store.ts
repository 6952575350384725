import type { UpstreamIdentity } from '../domain/upstream-identity.ts';

/** Stores upstream sign-ins and links. */
export interface UpstreamStore {
  /** Stores the sign-in, replacing an earlier one of the same interaction. */
  putSignIn(o: {
    readonly interactionId: string;
    readonly hash: string;
    readonly expiresAt: Date;
  }): Promise<void>;
  /** Removes the sign-in; returns whether it existed and had not expired. */
  takeSignIn(o: { readonly interactionId: string; readonly hash: string }): Promise<boolean>;
  /** The users linked to an identity. */
  findLinked(identity: Pick<UpstreamIdentity, 'issuer' | 'subject'>): Promise<readonly string[]>;
  /** Links a user; true if now linked, by this call or before. False if the user is linked to another identity of the issuer. */
  link(
    identity: Pick<UpstreamIdentity, 'issuer' | 'subject'>,
    user: { readonly userId: string; readonly accountId: string },
  ): Promise<boolean>;
}
