import type { Secret } from '@fairlead/service-kit/secret';
import type { Member } from '../domain/records.ts';

/** The people who may sign in. A person has a user in each account of theirs. */
export interface People {
  /**
   * The users, each with its account, that have this e-mail address and password, active or not. Takes the same time whether
   * or not any user has that address.
   */
  verifyPassword(email: string, password: Secret): Promise<readonly Member[]>;
  /** The users of that e-mail address. */
  findMembersByEmail(email: string): Promise<readonly Member[]>;
  /** The user with its account; empty where the user is unknown or not active. */
  findMembershipsOf(userId: string): Promise<readonly Member[]>;
}

/** The members that may act in their account. */
export function activeMembers(members: readonly Member[]): readonly Member[] {
  return members.filter(({ account, user }) => user.isActive && account.erasingAt === null);
}
