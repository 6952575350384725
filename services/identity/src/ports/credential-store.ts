import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { KeyOwner, Member, MemberReference, PartialMember, TokenClaims } from '../domain/records.ts';

/** The lookup of credentials; each is one query. */
export interface CredentialStore {
  /** By hash, the API keys with their users and accounts, revoked or not; without those of which one of the three is missing. */
  findKeyOwners(ctx: RequestContext, hashes: readonly string[]): Promise<ReadonlyMap<string, KeyOwner>>;
  /**
   * The user of a token and its account; undefined if one of them is missing, if the token's grant does not exist, or,
   * for a token without a grant, if its client does not exist or the token was revoked.
   */
  findTokenOwner(ctx: RequestContext, token: TokenClaims): Promise<Member | undefined>;
  /** Finds those of the named accounts and users that exist, in the order of the references. */
  findMembers(ctx: RequestContext, references: readonly MemberReference[]): Promise<readonly PartialMember[]>;
}

/** The lookup of users who sign in. */
export interface SignInStore {
  /** The users of that e-mail, active or not, whose accounts are not being erased, sorted by the account's name. */
  findByEmail(
    email: string,
  ): Promise<readonly { readonly member: Member; readonly passwordHash: string | null }[]>;
  /** The accounts that a user may act in: one, or none if the user is unknown or inactive. */
  findMembershipsOf(userId: string): Promise<readonly Member[]>;
  /** The account of a user, active or not; undefined if the user is unknown. */
  findAccountOf(userId: string): Promise<string | undefined>;
}
