import type { Secret } from '@fairlead/service-kit/secret';
import type { PasswordHasher } from '../ports/password-hasher.ts';

/** Hashes passwords fast and insecurely, for tests: argon2 is covered by its own test. */
export const testPasswords: PasswordHasher = {
  hash: (password) => Promise.resolve(hashOf(password)),
  verify: (password, hash) => Promise.resolve(hash === hashOf(password)),
  decoyHash: '#',
};

function hashOf(password: Secret): string {
  return `#${Buffer.from(password.reveal()).toString('base64url')}`;
}
