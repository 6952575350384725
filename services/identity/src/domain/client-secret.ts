import { createHash } from 'node:crypto';

/** SHA-256 of a client secret in hex, for storage; its own entropy makes a slow hash unnecessary. */
export function hashClientSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
