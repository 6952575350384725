import type { KeyOwner, Member } from '../domain/records.ts';

/** The lookup of credentials. */
export interface CredentialStore {
  /** The API key of that hash with its user and account; undefined if one of the three is missing. */
  findKeyOwner(hash: string): Promise<KeyOwner | undefined>;
  /** That user of that account; undefined if it does not exist. */
  findMember(accountId: string, userId: string): Promise<Member | undefined>;
}

/** The lookup of users who sign in. */
export interface SignInStore {
  /** The users of that e-mail, active or not, whose accounts are not being erased, sorted by the account's name. */
  findByEmail(
    email: string,
  ): Promise<readonly { readonly member: Member; readonly passwordHash: string | null }[]>;
  /** The accounts that a user may act in: one, or none if the user is unknown or inactive. */
  findMembershipsOf(userId: string): Promise<readonly Member[]>;
}
