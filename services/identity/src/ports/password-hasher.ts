import type { Secret } from '@fairlead/service-kit/secret';

/** Hashes passwords for storage. Both methods are deliberately slow and run off the event loop. */
export interface PasswordHasher {
  /** The hash of a password, with a new salt each time. UNAVAILABLE if too many passwords are waiting. */
  hash(password: Secret): Promise<string>;
  /** Whether `hash` is the password's; false for text that is not a hash. UNAVAILABLE if too many passwords are waiting. */
  verify(password: Secret, hash: string): Promise<boolean>;
  /** A hash of no password, to verify against if a user has none, so that it takes the same time. */
  readonly decoyHash: string;
}
