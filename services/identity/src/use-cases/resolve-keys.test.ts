import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ApiKeyRecord } from '../domain/records.ts';
import { testAccount, testApiKey, testUser } from '../testing/records.ts';
import { resolveKeys } from './resolve-keys.ts';

const PAST = new Date('2020-01-01T00:00:00Z');

async function resolve(
  key: Partial<ApiKeyRecord>,
  o: { isActive?: boolean; erasingAt?: Date; takesRestrictions?: boolean } = {},
) {
  const { isActive = true, erasingAt = null, takesRestrictions = true } = o;
  const owner = { key: testApiKey(key), user: testUser({ isActive }), account: testAccount({ erasingAt }) };
  const credentials = {
    findKeyOwners: () => Promise.resolve(new Map([['hash', owner]])),
  };
  return {
    owner,
    found: (...hashes: string[]) =>
      resolveKeys({ credentials }, testContext(), { hashes, takesRestrictions }),
  };
}

test('keys are resolved to their owners, unknown ones to nobody, in their order', async () => {
  const { owner, found } = await resolve({});
  expect(await found('other', 'hash', 'another')).toEqual([undefined, owner, undefined]);
});

test('more than 100 keys at once are refused', async () => {
  const { found } = await resolve({});
  expect(await found(...Array.from({ length: 100 }, () => 'other'))).toHaveLength(100);
  await expect(found(...Array.from({ length: 101 }, () => 'other'))).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

test('a revoked key is as unknown as any other', async () => {
  const { found } = await resolve({ revokedAt: PAST });
  expect(await found('hash')).toEqual([undefined]);
});

test('a restricted key is known only to callers who apply its restrictions', async () => {
  for (const key of [{ scopes: [] }, { toolsetId: 'toolset-1' }]) {
    const { owner, found } = await resolve(key);
    expect(await found('hash')).toEqual([owner]);
    expect(await (await resolve(key, { takesRestrictions: false })).found('hash')).toEqual([undefined]);
  }
  const { owner, found } = await resolve({}, { takesRestrictions: false });
  expect(await found('hash')).toEqual([owner]);
});

test('that a key has expired, its user is inactive or its account is closed is an answer', async () => {
  for (const { owner, found } of [
    await resolve({ expiresAt: PAST }),
    await resolve({}, { isActive: false }),
    await resolve({}, { erasingAt: PAST }),
  ])
    expect(await found('hash')).toEqual([owner]);
});
