import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import type { User } from '../domain/records.ts';
import { contextOf } from '../testing/context-of.ts';
import { testUser } from '../testing/records.ts';
import { unannounced } from '../testing/unannounced.ts';
import { revokeApiKey } from './revoke-api-key.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const deps = {
  apiKeys: {
    revoke(_ctx: unknown, accountId: string, id: string, check: (user: User) => void, now: Date) {
      const role = id === 'key_owner' ? 'owner' : 'admin';
      const isFound = accountId === 'acc_1' && ['key_1', 'key_owner'].includes(id);
      if (isFound) check(testUser({ role }));
      return Promise.resolve(isFound && now.getTime() === NOW.getTime());
    },
  },
  changeIdentity: unannounced,
  clock: new ManualClock(NOW),
};

test('a key of the caller’s account is revoked now; any other is NOT_FOUND', async () => {
  const caller = contextOf({ accountId: 'acc_1', userId: 'usr_1' });
  await expect(revokeApiKey(deps, caller, 'key_1')).resolves.toBeUndefined();
  await expect(revokeApiKey(deps, caller, 'key_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const stranger = contextOf({ accountId: 'acc_2', userId: 'usr_2' });
  await expect(revokeApiKey(deps, stranger, 'key_1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a key of an owner is revoked by owners only; in another account it does not exist', async () => {
  const revoke = (accountId: string, role: 'owner' | 'admin') =>
    revokeApiKey(deps, contextOf({ accountId, userId: 'usr_1' }, role), 'key_owner');
  await expect(revoke('acc_1', 'admin')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(revoke('acc_2', 'admin')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(revoke('acc_1', 'owner')).resolves.toBeUndefined();
});
