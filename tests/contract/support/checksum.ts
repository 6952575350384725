import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The checksum of an API key (row completion.auth-and-people.4): CRC-32 in base62, six digits. */
export function crc32Base62(text: string): string {
  let digits = '';
  for (let rest = crc32(text); rest > 0; rest = Math.floor(rest / 62))
    digits = `${DIGITS[rest % 62]}${digits}`;
  return digits.padStart(6, '0');
}
