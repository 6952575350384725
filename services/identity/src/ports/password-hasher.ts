import type { Secret } from '@fairlead/service-kit/secret';

/** Hashes passwords for storage. Both methods are deliberately slow and run off the event loop. */
export interface PasswordHasher {
  /** The hash of a password, with a new salt each time. UNAVAILABLE if too many passwords are waiting. */
  hash(password: Secret): Promise<string>;
  /** Whether the password has this `hash`; false for text that is not a hash. UNAVAILABLE if too many passwords are waiting. */
  verify(password: Secret, hash: string): Promise<boolean>;
  /** A hash that matches no password. Verifying against it for a user without a password takes the usual time. */
  readonly decoyHash: string;
}
