import type { UpstreamIdentity } from '../pages/upstream-provider.ts';

/** Where upstream sign-ins and links are kept. */
export interface UpstreamStore {
  /** Replaces that of the same interaction. */
  putSignIn(o: {
    readonly interactionId: string;
    readonly hash: string;
    readonly expiresAt: Date;
  }): Promise<void>;
  /** Whether there was such a sign-in that has not expired; it then is no more. */
  takeSignIn(o: { readonly interactionId: string; readonly hash: string }): Promise<boolean>;
  /** The users that an identity is linked with. */
  findLinked(identity: Pick<UpstreamIdentity, 'issuer' | 'subject'>): Promise<readonly string[]>;
  /** Links a user, or finds the link: true. False where the user has another identity of that issuer. */
  link(
    identity: Pick<UpstreamIdentity, 'issuer' | 'subject'>,
    user: { readonly userId: string; readonly accountId: string },
  ): Promise<boolean>;
  /** Forgets the links of an account that is erased. */
  eraseLinks(accountId: string): Promise<void>;
}
