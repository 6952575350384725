import { ManualClock } from '@fairlead/service-kit/clock';
import { describe, expect, test } from 'vitest';
import { generateApiKey, hashApiKey } from '../domain/api-key.ts';
import type { ApiKeyRecord, KeyOwner, Membership } from '../domain/records.ts';
import { createAuthenticate } from './authenticate.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const key = generateApiKey();

function owner(
  o: { key?: Partial<ApiKeyRecord>; membership?: Partial<Membership> | null; isRbacEnabled?: boolean } = {},
): KeyOwner {
  return {
    key: { id: 'key_1', name: 'Key', expiresAt: null, revokedAt: null, ...o.key },
    account: { id: 'acc_1', name: 'Account', isRbacEnabled: o.isRbacEnabled ?? true },
    user: { id: 'usr_1', email: 'm@test.example', name: 'Mara' },
    membership:
      o.membership === null
        ? undefined
        : { accountId: 'acc_1', userId: 'usr_1', role: 'member', isActive: true, ...o.membership },
  };
}

function setUp(found: KeyOwner) {
  const lookups: string[] = [];
  const clock = new ManualClock(NOW);
  const authenticate = createAuthenticate({
    clock,
    findKeyOwner: (hash) => {
      lookups.push(hash);
      return Promise.resolve(hash === hashApiKey(key) ? found : undefined);
    },
  });
  return { authenticate, lookups, clock };
}

const headers = { 'x-api-key': key.reveal() };
const UNAUTHORIZED = { code: 'UNAUTHORIZED' };

describe('authentication', () => {
  test('a key authenticates as its owner, with the permissions of the owner’s role', async () => {
    expect(await setUp(owner()).authenticate(headers)).toMatchObject({
      accountId: 'acc_1',
      userId: 'usr_1',
      credentialType: 'apiKey',
      credentialId: 'key_1',
      roles: ['member'],
      permissions: expect.not.arrayContaining(['tools.write']) as unknown,
    });
  });

  test('a key whose checksum is wrong is refused without a lookup', async () => {
    const { authenticate, lookups } = setUp(owner());
    const mistyped = key.reveal().slice(0, -1) + (key.reveal().endsWith('a') ? 'b' : 'a');
    await expect(authenticate({ 'x-api-key': mistyped })).rejects.toMatchObject(UNAUTHORIZED);
    expect(lookups).toEqual([]);
  });

  test('a well-formed key that nobody has, and none at all, are refused', async () => {
    const { authenticate } = setUp(owner());
    await expect(authenticate({ 'x-api-key': generateApiKey().reveal() })).rejects.toMatchObject(
      UNAUTHORIZED,
    );
    await expect(authenticate({})).rejects.toMatchObject(UNAUTHORIZED);
  });

  test.each(['Bearer eyJhbGciOiJub25lIn0.e30.', `Bearer ${key.reveal()}`, 'Basic dXNlcjpwYXNz', 'Bearer'])(
    'Authorization: %s is refused, also beside a valid key',
    async (authorization) => {
      const { authenticate } = setUp(owner());
      await expect(authenticate({ authorization, ...headers })).rejects.toMatchObject(UNAUTHORIZED);
      await expect(authenticate({ authorization })).rejects.toMatchObject(UNAUTHORIZED);
    },
  );

  test('a revoked key is refused', async () => {
    const { authenticate } = setUp(owner({ key: { revokedAt: NOW } }));
    await expect(authenticate(headers)).rejects.toMatchObject(UNAUTHORIZED);
  });

  test('a key is refused from the millisecond of its expiry on', async () => {
    const { authenticate, clock } = setUp(owner({ key: { expiresAt: new Date(NOW.getTime() + 1) } }));
    await expect(authenticate(headers)).resolves.toBeDefined();
    clock.advance(1);
    await expect(authenticate(headers)).rejects.toMatchObject(UNAUTHORIZED);
  });

  test.each([null, { isActive: false }])(
    'an owner who is not an active member (%j) is ACCOUNT_USER_INACTIVE',
    async (membership) => {
      const { authenticate } = setUp(owner({ membership }));
      await expect(authenticate(headers)).rejects.toMatchObject({ code: 'ACCOUNT_USER_INACTIVE' });
    },
  );
});
