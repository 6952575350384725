import type { KeyOwner, Member } from '../domain/records.ts';

/** Where credentials are looked up. */
export interface CredentialStore {
  /** The API key of that hash with its user and account; undefined where one of the three is missing. */
  findKeyOwner(hash: string): Promise<KeyOwner | undefined>;
  /** That user of that account; undefined where there is none. */
  findMember(accountId: string, userId: string): Promise<Member | undefined>;
}

/** Where those who sign in are looked up. */
export interface SignInStore {
  /** The users of that e-mail, active or not, whose accounts are not being erased, by name of the account. */
  findByEmail(
    email: string,
  ): Promise<readonly { readonly member: Member; readonly passwordHash: string | null }[]>;
  /** The accounts that a user may act in: one, or none where the user is unknown or not active. */
  findMembershipsOf(userId: string): Promise<readonly Member[]>;
}
