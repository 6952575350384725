import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ApiKeyRecord } from '../domain/records.ts';
import { testAccount, testApiKey, testUser } from '../testing/records.ts';
import { resolveKey } from './resolve-key.ts';

const PAST = new Date('2020-01-01T00:00:00Z');

async function resolve(key: Partial<ApiKeyRecord>, o: { isActive?: boolean; erasingAt?: Date } = {}) {
  const { isActive = true, erasingAt = null } = o;
  const owner = { key: testApiKey(key), user: testUser({ isActive }), account: testAccount({ erasingAt }) };
  const credentials = {
    findKeyOwner: (_ctx: unknown, hash: string) => Promise.resolve(hash === 'hash' ? owner : undefined),
  };
  return { owner, found: (hash: string) => resolveKey({ credentials }, testContext(), hash) };
}

test('a key is resolved to its owner, an unknown one to nobody', async () => {
  const { owner, found } = await resolve({});
  expect(await found('hash')).toBe(owner);
  expect(await found('other')).toBeUndefined();
});

test('a revoked key is as unknown as any other', async () => {
  const { found } = await resolve({ revokedAt: PAST });
  expect(await found('hash')).toBeUndefined();
});

test('that a key has expired, its user is inactive or its account is closed is an answer', async () => {
  for (const { owner, found } of [
    await resolve({ expiresAt: PAST }),
    await resolve({}, { isActive: false }),
    await resolve({}, { erasingAt: PAST }),
  ])
    expect(await found('hash')).toBe(owner);
});
