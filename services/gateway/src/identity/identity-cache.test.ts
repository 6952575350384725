import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { cacheCredentials, createIdentityCaches } from './identity-cache.ts';
import { testAccount, testApiKey, testUser } from './testing/records.ts';

function setUp() {
  const clock = new ManualClock(new Date(0));
  const state: { session: number | undefined; isAway: boolean } = { session: 1, isAway: false };
  const member = { account: testAccount(), user: testUser() };
  const answer = <T>(found: T): Promise<T> =>
    state.isAway ? Promise.reject(new ApiError('UNAVAILABLE', 'away')) : Promise.resolve(found);
  const credentials = cacheCredentials(
    createIdentityCaches({ clock, subscribe: () => ({ session: () => state.session }) }),
    {
      findKeyOwner: (hash) => answer(hash === 'known' ? { ...member, key: testApiKey() } : undefined),
      findMember: () => answer(member),
    },
  );
  return { credentials, clock, state };
}

test('known credentials hold for ten minutes while their source is away, unknown ones do not', async () => {
  const { credentials, clock, state } = setUp();
  await credentials.findKeyOwner('known');
  await credentials.findMember('acc_1', 'usr_1');
  await credentials.findKeyOwner('unknown');
  state.isAway = true;
  clock.advance(10 * 60_000 - 1);
  expect(await credentials.findKeyOwner('known')).toMatchObject({ key: { id: 'key_1' } });
  expect(await credentials.findMember('acc_1', 'usr_1')).toMatchObject({ user: { id: 'usr_1' } });
  await expect(credentials.findKeyOwner('unknown')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  clock.advance(1);
  await expect(credentials.findKeyOwner('known')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('known credentials hold for two seconds if a change may have been missed', async () => {
  const { credentials, clock, state } = setUp();
  await credentials.findKeyOwner('known');
  state.session = undefined;
  state.isAway = true;
  clock.advance(1_999);
  expect(await credentials.findKeyOwner('known')).toMatchObject({ key: { id: 'key_1' } });
  clock.advance(1);
  await expect(credentials.findKeyOwner('known')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
