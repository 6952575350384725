import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { hashApiKey } from '@fairlead/access/api-key';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import type { AccountStore } from '../ports/account-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';
import { testPasswords } from '../testing/passwords.ts';
import { createAccount } from './create-account.ts';
import type { NewAccount } from './create-account.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
type AccountInsert = Parameters<AccountStore['insertWithOwner']>[1];

async function create(account: Omit<NewAccount, 'name'> = {}) {
  const inserted: AccountInsert[] = [];
  const accounts: Pick<AccountStore, 'insertWithOwner'> = {
    insertWithOwner: (_ctx, o) => Promise.resolve(void inserted.push(o)),
  };
  const announced: string[] = [];
  const changeIdentity: ChangeIdentity = async (accountId, write) => {
    const result = await write();
    announced.push(accountId);
    return result;
  };
  const deps = { accounts, passwords: testPasswords, changeIdentity, clock: new ManualClock(NOW) };
  const created = await createAccount(deps, testContext(), { name: 'Acme', ...account });
  return { ...created, inserted, announced };
}

test('an account, its owner and the owner’s first key are inserted together, the key as its hash only', async () => {
  const { account, owner, apiKey, inserted } = await create({ ownerEmail: 'olga@acme.example' });
  expect(owner).toMatchObject({ accountId: account.id, role: 'owner', isActive: true, name: 'olga' });
  expect(inserted).toMatchObject([
    {
      account,
      owner,
      passwordHash: null,
      key: { accountId: account.id, userId: owner.id, expiresAt: null },
      keyHash: hashApiKey(apiKey),
    },
  ]);
  expect(JSON.stringify(inserted)).not.toContain(apiKey.reveal());
});

test('the new account is announced around its insertion, for whoever has looked for it before', async () => {
  const { account, announced } = await create();
  expect(announced).toEqual([account.id]);
});

test('an address that is not in lower case is VALIDATION_ERROR', async () => {
  await expect(create({ ownerEmail: 'Olga@acme.example' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'ownerEmail' }],
  });
});

test('settings that are left out have their defaults, budget by budget', async () => {
  expect((await create()).account).toMatchObject({
    isRbacEnabled: false,
    defaultLicence: 'active',
    budgets: DEFAULT_BUDGETS,
    erasingAt: null,
  });
  const { account } = await create({ isRbacEnabled: true, defaultLicence: 'none', budgets: { hourly: 7 } });
  expect(account).toMatchObject({
    isRbacEnabled: true,
    defaultLicence: 'none',
    budgets: { ...DEFAULT_BUDGETS, hourly: 7 },
  });
});

test('an owner without an e-mail address gets an undeliverable one unique to the account', async () => {
  const { account, owner } = await create();
  expect(owner.email).toBe(`owner@${account.id.replace('_', '-').toLowerCase()}.invalid`);
});

test('a password of the owner is stored as its hash only', async () => {
  const ownerPassword = new Secret('correct horse battery staple');
  const { inserted } = await create({ ownerPassword });
  expect(JSON.stringify(inserted)).not.toContain(ownerPassword.reveal());
  expect(await testPasswords.verify(ownerPassword, inserted[0]?.passwordHash ?? '')).toBe(true);
});
