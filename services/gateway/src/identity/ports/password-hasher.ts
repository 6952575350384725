import type { Secret } from '@fairlead/service-kit/secret';

/** Makes the hashes by which passwords are stored. Both methods are slow on purpose and run off the event loop. */
export interface PasswordHasher {
  /** The hash of a password, salted anew each time. UNAVAILABLE where too many passwords wait already. */
  hash(password: Secret): Promise<string>;
  /** Whether `hash` was made of the password; false for text that is no hash. UNAVAILABLE likewise. */
  verify(password: Secret, hash: string): Promise<boolean>;
  /** The hash of no password: to verify against where there is none, which takes as long as where there is one. */
  readonly nobodysHash: string;
}
