import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { KeyOwner, Member, MemberReference, PartialMember, TokenClaims } from '../domain/records.ts';

/** Looks up credentials, in one query each. */
export interface CredentialStore {
  /** API keys by hash, revoked or not, each with its user and account. A key whose user or account is missing is omitted. */
  findKeyOwners(ctx: RequestContext, hashes: readonly string[]): Promise<ReadonlyMap<string, KeyOwner>>;
  /**
   * The user of a token with its account. Undefined if either is missing, if the token's grant does not exist, or, for a token without a
   * grant, if its client does not exist or the token was revoked.
   */
  findTokenOwner(ctx: RequestContext, token: TokenClaims): Promise<Member | undefined>;
  /** Looks up the named accounts and users; results are in the order of the references, undefined where one does not exist. */
  findMembers(ctx: RequestContext, references: readonly MemberReference[]): Promise<readonly PartialMember[]>;
}

/** Looks up users who sign in. */
export interface SignInStore {
  /** The users with that e-mail address, active or not, sorted by account name; none whose account is being erased. */
  findByEmail(
    email: string,
  ): Promise<readonly { readonly member: Member; readonly passwordHash: string | null }[]>;
  /** The accounts in which a user may act: one, or none if the user is unknown or inactive. */
  findMembershipsOf(userId: string): Promise<readonly Member[]>;
  /** The account of a user, active or not; undefined if the user is unknown. */
  findAccountOf(userId: string): Promise<string | undefined>;
}
