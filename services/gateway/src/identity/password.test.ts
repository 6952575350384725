import { Secret } from '@fairlead/service-kit/secret';
import { describe, expect, test } from 'vitest';
import { NOBODYS_HASH, hashPassword, verifyPassword } from './password.ts';

const PHC = /^\$argon2id\$v=19\$m=65536,t=3,p=4\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

describe('passwords', () => {
  test('the hash is an argon2id PHC string, salted anew each time', async () => {
    const [one, two] = await Promise.all([
      hashPassword(new Secret('pass')),
      hashPassword(new Secret('pass')),
    ]);
    expect(one).toMatch(PHC);
    expect(one).not.toBe(two);
  });

  test('the password that was hashed verifies, another does not', async () => {
    const hash = await hashPassword(new Secret('pass'));
    expect(await verifyPassword(new Secret('pass'), hash)).toBe(true);
    expect(await verifyPassword(new Secret('Pass'), hash)).toBe(false);
  });

  test('is the same however a keyboard composes its characters', async () => {
    const composed = 'caf\u00e9-caf\u00e9';
    const hash = await hashPassword(new Secret(composed));
    expect(await verifyPassword(new Secret(composed.normalize('NFD')), hash)).toBe(true);
  });

  test('what stands in for the hash of nobody costs as much as any, and no password verifies', async () => {
    expect(NOBODYS_HASH).toMatch(PHC);
    expect(await verifyPassword(new Secret(''), NOBODYS_HASH)).toBe(false);
  });

  test('two are hashed at once and 64 wait; who comes then is told to try again', async () => {
    // As cheap as argon2 can be.
    const cheap = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    const results = await Promise.allSettled(
      Array.from({ length: 70 }, () => verifyPassword(new Secret('pass'), cheap)),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(4);
    expect(refused[0]).toMatchObject({ reason: { code: 'UNAVAILABLE' } });
    expect(await verifyPassword(new Secret('pass'), cheap)).toBe(false);
  });

  test('text that is no hash verifies nothing', async () => {
    expect(await verifyPassword(new Secret(''), '')).toBe(false);
  });
});
