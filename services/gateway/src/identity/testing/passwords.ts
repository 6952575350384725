import type { Secret } from '@fairlead/service-kit/secret';
import type { PasswordHasher } from '../ports/password-hasher.ts';

/** Hashes passwords in no time, and not for keeping: what argon2 does is proven by its own test. */
export const testPasswords: PasswordHasher = {
  hash: (password) => Promise.resolve(hashOf(password)),
  verify: (password, hash) => Promise.resolve(hash === hashOf(password)),
  nobodysHash: '#',
};

function hashOf(password: Secret): string {
  return `#${Buffer.from(password.reveal()).toString('base64url')}`;
}
