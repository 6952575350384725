import { randomBytes } from 'node:crypto';
import { Secret } from '@fairlead/service-kit/secret';

const PREFIX = 'whsec_';
const KEY_BYTES = 32;

/** A new signing secret: `whsec_` and 32 random bytes in base64, the form that Standard Webhooks libraries read. */
export function newSigningSecret(): Secret {
  return new Secret(PREFIX + randomBytes(KEY_BYTES).toString('base64'));
}

/** The random bytes of a signing secret. Throws a TypeError if it does not have the form that newSigningSecret gives. */
export function signingKey(secret: Secret): Buffer {
  const text = secret.reveal();
  const key = Buffer.from(text.slice(PREFIX.length), 'base64');
  if (!text.startsWith(PREFIX) || key.length !== KEY_BYTES) throw new TypeError('not a signing secret');
  return key;
}
