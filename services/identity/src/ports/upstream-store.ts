import type { UpstreamIdentity } from '../domain/upstream-identity.ts';

/** The storage of upstream sign-ins and links. */
export interface UpstreamStore {
  /** Replaces that of the same interaction. */
  putSignIn(o: {
    readonly interactionId: string;
    readonly hash: string;
    readonly expiresAt: Date;
  }): Promise<void>;
  /** Removes such a sign-in; returns whether there was one that had not expired. */
  takeSignIn(o: { readonly interactionId: string; readonly hash: string }): Promise<boolean>;
  /** The users that an identity is linked with. */
  findLinked(identity: Pick<UpstreamIdentity, 'issuer' | 'subject'>): Promise<readonly string[]>;
  /** Links a user, or finds the link: true. False where the user has another identity of that issuer. */
  link(
    identity: Pick<UpstreamIdentity, 'issuer' | 'subject'>,
    user: { readonly userId: string; readonly accountId: string },
  ): Promise<boolean>;
}
