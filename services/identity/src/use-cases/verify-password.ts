import type { Secret } from '@fairlead/service-kit/secret';
import type { Member } from '../domain/records.ts';
import type { SignInStore } from '../ports/credential-store.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';

/** The users, active or not, with this e-mail and password: an inactive user who proves the password learns that access is turned off. */
export type VerifyPassword = (email: string, password: Secret) => Promise<readonly Member[]>;

/** The dependencies of the sign-in check. */
export interface VerifyPasswordDeps {
  readonly store: Pick<SignInStore, 'findByEmail'>;
  readonly passwords: Pick<PasswordHasher, 'verify' | 'decoyHash'>;
}

/**
 * Creates the sign-in check. A password is hashed even if no user has the e-mail or no password is set, and the hashes
 * for several accounts run in parallel, so that the time taken does not reveal which users exist.
 */
export function createVerifyPassword({ store, passwords }: VerifyPasswordDeps): VerifyPassword {
  return async (email, password) => {
    const candidates = await store.findByEmail(email.toLowerCase());
    const known = candidates.flatMap(({ member, passwordHash }) =>
      passwordHash === null ? [] : [{ member, passwordHash }],
    );
    if (known.length === 0) {
      await passwords.verify(password, passwords.decoyHash);
      return [];
    }
    const results = await Promise.all(
      known.map(async ({ member, passwordHash }) => ({
        member,
        isRight: await passwords.verify(password, passwordHash),
      })),
    );
    return results.flatMap(({ member, isRight }) => (isRight ? [member] : []));
  };
}
