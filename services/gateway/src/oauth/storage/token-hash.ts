import { hash } from 'node:crypto';

/** SHA-256 in base64url: by it what a client holds is found, and cannot be got back. Only for values too long to guess. */
export function tokenHash(value: string): string {
  return hash('sha256', value, 'base64url');
}
