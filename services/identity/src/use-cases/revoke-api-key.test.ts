import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { contextOf } from '../testing/context-of.ts';
import { unannounced } from '../testing/unannounced.ts';
import { revokeApiKey } from './revoke-api-key.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const deps = {
  apiKeys: {
    revoke: (_ctx: unknown, accountId: string, id: string, now: Date) =>
      Promise.resolve(accountId === 'acc_1' && id === 'key_1' && now.getTime() === NOW.getTime()),
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
