import { createHash } from 'node:crypto';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';

/** SHA-256 in base64url of a token, by which its agent is found. */
export function tokenHashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** 190 bits. */
const TOKEN_CHARACTERS = 32;

export function newToken(): Secret {
  return new Secret(`opa_${randomBase62(TOKEN_CHARACTERS)}`);
}
