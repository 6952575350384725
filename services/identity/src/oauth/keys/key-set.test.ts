import { createPublicKey } from 'node:crypto';
import { Secret } from '@fairlead/service-kit/secret';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PUBLISH_AHEAD_MS, RETIRE_AFTER_MS, isSameKeySet, keySetAt } from './key-set.ts';
import type { KeyGeneration } from './key-set.ts';

const { publicKey } = generateKeyPairSync('ed25519');

function generation(number: number, signsFrom: number): KeyGeneration {
  return {
    generation: number,
    kid: `key-${number}`,
    privateJwk: new Secret({}),
    publicKey: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
    cookieKey: new Secret(`cookie-${number}`),
    createdAt: new Date(signsFrom),
    signsFrom: new Date(signsFrom),
  };
}

/** Names of the keys: active, published, accepted on cookies. */
function namesAt(generations: readonly KeyGeneration[], now: number) {
  const { active, published, cookieKeys } = keySetAt(generations, new Date(now));
  return {
    active: active.kid,
    published: published.map(({ kid }) => kid),
    cookieKeys: cookieKeys.map((key) => key.reveal()),
  };
}

describe('generations of keys', () => {
  const ROTATED = 1_000_000;
  const SIGNS = ROTATED + PUBLISH_AHEAD_MS;
  const both = [generation(1, 0), generation(2, SIGNS)];

  test('a new key is published before it signs', () => {
    expect(namesAt(both, SIGNS - 1)).toEqual({
      active: 'key-1',
      published: ['key-1', 'key-2'],
      cookieKeys: ['cookie-1', 'cookie-2'],
    });
  });

  test('then it signs, and the old one is still published', () => {
    expect(namesAt(both, SIGNS)).toEqual({
      active: 'key-2',
      published: ['key-2', 'key-1'],
      cookieKeys: ['cookie-2', 'cookie-1'],
    });
  });

  test('the old one retires when nothing that it signed can be valid; its cookies live on', () => {
    expect(namesAt(both, SIGNS + RETIRE_AFTER_MS - 1).published).toEqual(['key-2', 'key-1']);
    expect(namesAt(both, SIGNS + RETIRE_AFTER_MS)).toEqual({
      active: 'key-2',
      published: ['key-2'],
      cookieKeys: ['cookie-2', 'cookie-1'],
    });
  });

  test('their order in the database plays no part', () => {
    expect(namesAt([...both].reverse(), SIGNS)).toEqual(namesAt(both, SIGNS));
  });

  test('a replica makes a new provider when what signs or what is published changes, and only then', () => {
    const at = (now: number) => keySetAt(both, new Date(now));
    expect(isSameKeySet(at(ROTATED), at(SIGNS - 1))).toBe(true);
    expect(isSameKeySet(at(SIGNS - 1), at(SIGNS))).toBe(false);
    expect(isSameKeySet(at(SIGNS), at(SIGNS + RETIRE_AFTER_MS))).toBe(false);
    expect(isSameKeySet(keySetAt([generation(1, 0)], new Date(ROTATED)), at(ROTATED))).toBe(false);
  });

  test('no key may sign before its time', () => {
    expect(() => keySetAt([generation(1, 10)], new Date(9))).toThrow('No key may sign yet.');
  });
});
