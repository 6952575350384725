import { Secret } from '@fairlead/service-kit/secret';
import { expect, test } from 'vitest';
import type { SignInStore } from '../ports/credential-store.ts';
import { testPasswords } from '../testing/passwords.ts';
import { testAccount, testUser } from '../testing/records.ts';
import { verifyPassword } from './verify-password.ts';

const memberOf = (accountId: string) => ({
  account: testAccount({ id: accountId }),
  user: testUser({ id: `usr_of_${accountId}`, accountId }),
});

/** Verifies a password among the users with one e-mail address, given by account. */
async function setUp(passwords: Readonly<Record<string, string | null>>) {
  const derived: string[] = [];
  const asked: string[] = [];
  const all = await Promise.all(
    Object.entries(passwords).map(async ([accountId, password]) => ({
      member: memberOf(accountId),
      passwordHash: password === null ? null : await testPasswords.hash(new Secret(password)),
    })),
  );
  const credentials: Pick<SignInStore, 'findByEmail'> = {
    findByEmail(email) {
      asked.push(email);
      return Promise.resolve(all);
    },
  };
  const deps = {
    credentials,
    passwords: {
      ...testPasswords,
      verify(password: Secret, hash: string) {
        derived.push(hash);
        return testPasswords.verify(password, hash);
      },
    },
  };
  const verify = (password: string) => verifyPassword(deps, 'Mara@Test.example', new Secret(password));
  return { derived, asked, verify };
}

test('the password opens the accounts that it was set for, and the e-mail address is read without its case', async () => {
  const { asked, verify } = await setUp({ acc_1: 'one', acc_2: 'two', acc_3: 'one' });
  expect(await verify('one')).toEqual([memberOf('acc_1'), memberOf('acc_3')]);
  expect(await verify('two')).toEqual([memberOf('acc_2')]);
  expect(await verify('three')).toEqual([]);
  expect(new Set(asked)).toEqual(new Set(['mara@test.example']));
});

test('a password is hashed even if no user has the e-mail address, or none of its users has a password', async () => {
  for (const passwords of [{}, { acc_1: null }]) {
    const { derived, verify } = await setUp(passwords);
    expect(await verify('one')).toEqual([]);
    expect(derived).toEqual([testPasswords.decoyHash]);
  }
});

test('no password opens a user who has none', async () => {
  const { derived, verify } = await setUp({ acc_1: null, acc_2: 'two' });
  expect(await verify('two')).toEqual([memberOf('acc_2')]);
  expect(derived).toHaveLength(1);
});
