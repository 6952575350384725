import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';

const PREFIX = 'fairlead_';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = 4;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = new RegExp(`^${PREFIX}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/**
 * A new API key: `fairlead_`, 32 random base62 characters (190 bits), and their CRC-32 in 6 base62 characters
 * (rows completion.names.1 and 2).
 */
export function generateApiKey(): Secret {
  const random = randomBase62(RANDOM_LENGTH);
  return new Secret(PREFIX + random + checksum(random));
}

/** Whether `text` has the form of an API key and a correct checksum; needs no database. */
export function isWellFormedApiKey(text: string): boolean {
  const [, random = '', sum = ''] = FORM.exec(text) ?? [];
  return random !== '' && checksum(random) === sum;
}

/** SHA-256 of the key in hex, for storage. The key's own entropy makes a salt or a slow hash unnecessary. */
export function hashApiKey(key: Secret): string {
  return hash('sha256', key.reveal());
}

/** The beginning of a key, to recognise it by in a list: `fairlead_abcd…`. The rest still has 166 bits of entropy. */
export function maskApiKey(key: Secret): string {
  return `${key.reveal().slice(0, PREFIX.length + SHOWN_LENGTH)}…`;
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    text = BASE62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
