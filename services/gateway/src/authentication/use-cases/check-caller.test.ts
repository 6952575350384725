import type { UserCaller } from '@fairlead/service-kit/context/caller';
import { expect, test } from 'vitest';
import type { Owner } from '../domain/owner.ts';
import { testOwner } from '../testing/owner.ts';
import { checkCaller } from './check-caller.ts';

const owner = testOwner({ permissions: ['tools.execute'] });
const ID = { accountId: 'acc_1', userId: 'usr_1' };

function check(found: Owner | undefined, o: Partial<UserCaller> = {}) {
  const asked: unknown[] = [];
  const find = (by: unknown) => {
    asked.push(by);
    return Promise.resolve(found);
  };
  const caller: UserCaller = { kind: 'user', ...ID, roles: [], permissions: [], ...o };
  const refusal = checkCaller({ credentials: { findTokenOwner: find, findUser: find } }, caller);
  return { asked, refusal };
}

test.each<[string, Owner | undefined, string | undefined]>([
  ['goes on acting', owner, undefined],
  ['whose credential is gone may not act', undefined, 'invalidCredential'],
  ['whose account is being erased may not act', { ...owner, isAccountOpen: false }, 'invalidCredential'],
  [
    'whose credential is of another account may not act',
    testOwner({ accountId: 'acc_2' }),
    'invalidCredential',
  ],
  ['whose credential is of another user may not act', testOwner({ userId: 'usr_2' }), 'invalidCredential'],
  ['who was deactivated may not act', { ...owner, isActive: false }, 'inactiveUser'],
  ['whose role executes no tools may not act', testOwner(), 'missingPermission'],
])('a caller %s', async (_name, found, refusal) => {
  expect(await check(found).refusal).toBe(refusal);
});

test.each<[string, Partial<UserCaller>, unknown]>([
  ['its key', { credential: { keyId: 'key_1' } }, { ...ID, keyId: 'key_1' }],
  [
    'its token with the grant',
    { credential: { tokenId: 'jti_1', clientId: 'client_1', grantId: 'grant_1' } },
    { ...ID, tokenId: 'jti_1', clientId: 'client_1', grantId: 'grant_1' },
  ],
  [
    'the key that confines it, in a run of an earlier release',
    { confinement: { toolsetId: 'toolset-1', keyId: 'key_2' } },
    { ...ID, keyId: 'key_2' },
  ],
  ['its user alone without a credential', {}, { ...ID, keyId: undefined }],
])('a caller is looked up by %s', async (_name, o, by) => {
  const { asked, refusal } = check(owner, o);
  await refusal;
  expect(asked).toEqual([by]);
});
