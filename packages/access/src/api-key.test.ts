import { Secret } from '@fairlead/service-kit/secret';
import { describe, expect, test } from 'vitest';
import { generateApiKey, hashApiKey, isWellFormedApiKey, maskApiKey } from './api-key.ts';

describe('API keys', () => {
  test('a new key has the documented form and its own checksum', () => {
    const key = generateApiKey().reveal();
    expect(key).toMatch(/^fairlead_[0-9A-Za-z]{38}$/);
    expect(isWellFormedApiKey(key)).toBe(true);
    expect(generateApiKey().reveal()).not.toBe(key);
  });

  test('the checksum is the CRC-32 of the 32 characters in base62 of 0-9A-Za-z', () => {
    const zeros = '0'.repeat(32);
    expect(isWellFormedApiKey(`fairlead_${zeros}${checksumByDefinition(zeros)}`)).toBe(true);
  });

  test('a short checksum is padded with 0 on the left', () => {
    const random = shortChecksum();
    expect(checksumByDefinition(random)).toMatch(/^0/);
    expect(isWellFormedApiKey(`fairlead_${random}${checksumByDefinition(random)}`)).toBe(true);
  });

  test.each([
    [
      'one character changed',
      (key: string) => key.slice(0, 12) + (key[12] === 'a' ? 'b' : 'a') + key.slice(13),
    ],
    [
      'two characters swapped',
      (key: string) =>
        key.replace(/(fairlead_.)(.)(.)/, (_all, head: string, a: string, b: string) =>
          a === b ? `${head}${a}!` : head + b + a,
        ),
    ],
    ['cut short', (key: string) => key.slice(0, -1)],
    ['another prefix', (key: string) => key.replace('fairlead_', 'fairlead-')],
    ['a line break at the end', (key: string) => `${key}\n`],
    ['nothing', () => ''],
  ])('a key with %s is told without a database', (_name, spoil) => {
    expect(isWellFormedApiKey(spoil(generateApiKey().reveal()))).toBe(false);
  });

  test('a key is recognised by its first four characters', () => {
    expect(maskApiKey(new Secret(`fairlead_abcd${'x'.repeat(34)}`))).toBe('fairlead_abcd…');
  });

  test('what is stored is the SHA-256 of the key', () => {
    expect(hashApiKey(new Secret('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

/** CRC-32 (IEEE, reflected) bit by bit, independent of zlib. */
function crcByDefinition(text: string): number {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}

function checksumByDefinition(text: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let rest = crcByDefinition(text);
  let sum = '';
  while (rest > 0) {
    sum = digits.charAt(rest % 62) + sum;
    rest = Math.floor(rest / 62);
  }
  return sum.padStart(6, '0');
}

/** 32 characters whose CRC-32 is below 62^5; about one in five is. */
function shortChecksum(): string {
  for (let i = 0; ; i += 1) {
    const random = String(i).padStart(32, '0');
    if (crcByDefinition(random) < 62 ** 5) return random;
  }
}
