import { Secret } from '@fairlead/service-kit/secret';
import { describe, expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

describe('passwords', () => {
  test('the hash is an argon2id PHC string, salted anew each time', async () => {
    const [one, two] = await Promise.all([
      hashPassword(new Secret('pass')),
      hashPassword(new Secret('pass')),
    ]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
  });

  test('the password that was hashed verifies, another does not', async () => {
    const hash = await hashPassword(new Secret('pass'));
    expect(await verifyPassword(new Secret('pass'), hash)).toBe(true);
    expect(await verifyPassword(new Secret('Pass'), hash)).toBe(false);
  });

  test('text that is no hash verifies nothing', async () => {
    expect(await verifyPassword(new Secret(''), '')).toBe(false);
  });
});
