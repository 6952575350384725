import { Secret } from '@fairlead/service-kit/secret';
import { describe, expect, test } from 'vitest';
import { argon2Passwords, boundWork } from './password.ts';

const PHC = /^\$argon2id\$v=19\$m=65536,t=3,p=4\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

describe('passwords', () => {
  test('the hash is an argon2id PHC string, salted anew each time', async () => {
    const [one, two] = await Promise.all([
      argon2Passwords.hash(new Secret('pass')),
      argon2Passwords.hash(new Secret('pass')),
    ]);
    expect(one).toMatch(PHC);
    expect(one).not.toBe(two);
  });

  test('the password that was hashed verifies, another does not', async () => {
    const hash = await argon2Passwords.hash(new Secret('pass'));
    expect(await argon2Passwords.verify(new Secret('pass'), hash)).toBe(true);
    expect(await argon2Passwords.verify(new Secret('Pass'), hash)).toBe(false);
  });

  test('is the same however a keyboard composes its characters', async () => {
    const composed = 'caf\u00e9-caf\u00e9';
    const hash = await argon2Passwords.hash(new Secret(composed));
    expect(await argon2Passwords.verify(new Secret(composed.normalize('NFD')), hash)).toBe(true);
  });

  test('the decoy hash costs as much as any, and no password matches it', async () => {
    expect(argon2Passwords.decoyHash).toMatch(PHC);
    expect(await argon2Passwords.verify(new Secret(''), argon2Passwords.decoyHash)).toBe(false);
  });

  test('two are hashed at once and 64 wait; further calls are UNAVAILABLE', async () => {
    // The lowest costs that argon2 accepts.
    const cheap = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    const results = await Promise.allSettled(
      Array.from({ length: 70 }, () => argon2Passwords.verify(new Secret('pass'), cheap)),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(4);
    expect(refused[0]).toMatchObject({ reason: { code: 'UNAVAILABLE' } });
    expect(await argon2Passwords.verify(new Secret('pass'), cheap)).toBe(false);
  });

  test('text that is no hash verifies nothing', async () => {
    expect(await argon2Passwords.verify(new Secret(''), '')).toBe(false);
  });
});

test('so much runs at once, so much waits its turn, and what comes then is refused unbegun', async () => {
  const run = boundWork({ concurrency: 2, waiting: 3 });
  const begun: number[] = [];
  const ends = Array.from({ length: 6 }, () => Promise.withResolvers<number>());
  const work = ends.map(({ promise }, index) =>
    run(() => {
      begun.push(index);
      return promise;
    }),
  );
  await expect(work[5]).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(begun).toEqual([0, 1]);
  ends[1]?.resolve(10);
  expect(await work[1]).toBe(10);
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  const later = run(() => Promise.resolve(60));
  // A failing task also releases its permit.
  ends[0]?.reject(new Error('failed'));
  await expect(work[0]).rejects.toThrow('failed');
  for (const end of ends) end.resolve(0);
  expect(await Promise.all(work.slice(2, 5))).toEqual([0, 0, 0]);
  expect(await later).toBe(60);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});
