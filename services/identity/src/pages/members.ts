import type { Secret } from '@fairlead/service-kit/secret';
import type { Member } from '../domain/records.ts';
import type { SignInStore } from '../ports/credential-store.ts';
import { verifyPassword } from '../use-cases/verify-password.ts';
import type { VerifyPasswordDeps } from '../use-cases/verify-password.ts';

/** The people who may sign in. A person has a user in each account of theirs. */
export interface People {
  /**
   * The users, active or not, with this e-mail address and password; each with its account. Takes the same time whether or not a user has
   * that address.
   */
  verifyPassword(email: string, password: Secret): Promise<readonly Member[]>;
  /** The users with that e-mail address. */
  findMembersByEmail(email: string): Promise<readonly Member[]>;
  /** The user with its account; empty if the user is unknown or inactive. */
  findMembershipsOf(userId: string): Promise<readonly Member[]>;
}

/** Members who are active and may act in their account. */
export function activeMembers(members: readonly Member[]): readonly Member[] {
  return members.filter(({ account, user }) => user.isActive && account.erasingAt === null);
}

/** The people whose users are stored. */
export function createPeople(
  deps: VerifyPasswordDeps & { readonly credentials: Pick<SignInStore, 'findMembershipsOf'> },
): People {
  return {
    verifyPassword: (email, password) => verifyPassword(deps, email, password),
    async findMembersByEmail(email) {
      const candidates = await deps.credentials.findByEmail(email.toLowerCase());
      return candidates.map(({ member }) => member);
    },
    findMembershipsOf: (userId) => deps.credentials.findMembershipsOf(userId),
  };
}
