import type { Secret } from '@fairlead/service-kit/secret';
import type { Member } from '../domain/records.ts';
import type { SignInStore } from '../ports/credential-store.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';

export interface VerifyPasswordDeps {
  readonly credentials: Pick<SignInStore, 'findByEmail'>;
  readonly passwords: Pick<PasswordHasher, 'verify' | 'decoyHash'>;
}

/**
 * The users with this e-mail and password, each with its account: several if one person uses the same password in several accounts.
 * Inactive ones are included, so that a person who proves the password learns that access is turned off. A password is hashed even if no
 * user has the e-mail or no password is set, and the hashes for several accounts run in parallel, so that timing does not reveal which
 * users exist.
 */
export async function verifyPassword(
  { credentials, passwords }: VerifyPasswordDeps,
  email: string,
  password: Secret,
): Promise<readonly Member[]> {
  const candidates = await credentials.findByEmail(email.toLowerCase());
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
}
