import type { Secret } from '@fairlead/service-kit/secret';
import type { Member } from '../domain/records.ts';
import type { SignInStore } from '../ports/credential-store.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';

/** The users, active or not, whose e-mail and password these are: who proved that is told that they may not come in. */
export type VerifyPassword = (email: string, password: Secret) => Promise<readonly Member[]>;

/** What the check of sign-in needs. */
export interface VerifyPasswordDeps {
  readonly store: Pick<SignInStore, 'findByEmail'>;
  readonly passwords: Pick<PasswordHasher, 'verify' | 'nobodysHash'>;
}

/**
 * Makes the check of sign-in. A password is derived also where nobody has the e-mail or no password is set, and the
 * derivations for several accounts run side by side, so that the time taken does not tell who is known here.
 */
export function createVerifyPassword({ store, passwords }: VerifyPasswordDeps): VerifyPassword {
  return async (email, password) => {
    const candidates = await store.findByEmail(email.toLowerCase());
    const known = candidates.flatMap(({ member, passwordHash }) =>
      passwordHash === null ? [] : [{ member, passwordHash }],
    );
    if (known.length === 0) {
      await passwords.verify(password, passwords.nobodysHash);
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
