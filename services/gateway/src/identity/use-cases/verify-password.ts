import type { Secret } from '@fairlead/service-kit/secret';
import type { Member } from '../domain/records.ts';
import { NOBODYS_HASH, verifyPassword as isPasswordOf } from '../password.ts';

/** Where those who sign in are looked up. */
export interface SignInStore {
  /** The users of that e-mail, active or not, whose accounts are not being erased, by name of the account. */
  findByEmail(
    email: string,
  ): Promise<readonly { readonly member: Member; readonly passwordHash: string | null }[]>;
  /** The accounts that a user may act in: one, or none where the user is unknown or not active. */
  findMembershipsOf(userId: string): Promise<readonly Member[]>;
}

/** The users, active or not, whose e-mail and password these are: who proved that is told that they may not come in. */
export type VerifyPassword = (email: string, password: Secret) => Promise<readonly Member[]>;

/**
 * Makes the check of sign-in. A password is derived also where nobody has the e-mail or no password is set, and the
 * derivations for several accounts run side by side, so that the time taken does not tell who is known here.
 */
export function createVerifyPassword({ store }: { readonly store: SignInStore }): VerifyPassword {
  return async (email, password) => {
    const candidates = await store.findByEmail(email.toLowerCase());
    const known = candidates.flatMap(({ member, passwordHash }) =>
      passwordHash === null ? [] : [{ member, passwordHash }],
    );
    if (known.length === 0) {
      await isPasswordOf(password, NOBODYS_HASH);
      return [];
    }
    const results = await Promise.all(
      known.map(async ({ member, passwordHash }) => ({
        member,
        isRight: await isPasswordOf(password, passwordHash),
      })),
    );
    return results.flatMap(({ member, isRight }) => (isRight ? [member] : []));
  };
}
