import { ManualClock } from '@fairlead/service-kit/clock';
import { generateApiKey, hashApiKey } from '@fairlead/access/api-key';
import type { AccessToken } from '@fairlead/access/access-token';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { PERMISSIONS, permissionsOf } from '@fairlead/access/permissions';
import type { Permission, Role, Scope } from '@fairlead/access/permissions';
import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, test } from 'vitest';
import type { OwnedKey, Owner } from '../domain/owner.ts';
import { createAuthenticate } from './authenticate.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const API = 'https://api.example';
const MCP = `${API}/mcp`;
const key = generateApiKey();

function setUp(
  o: {
    readonly expiresAt?: Date;
    readonly role?: Role;
    readonly userId?: string;
    readonly scopes?: readonly Scope[];
    readonly keyScopes?: readonly Permission[];
    readonly toolsetId?: string;
    readonly grantId?: string;
    readonly isAway?: boolean;
  } & Partial<Pick<Owner, 'isActive' | 'isAccountOpen'>> = {},
) {
  const lookups: string[] = [];
  const uses: [string, Date][] = [];
  const clock = new ManualClock(NOW);
  const { role = 'member', isActive = true, isAccountOpen = true } = o;
  const owner: Owner = {
    member: {
      accountId: 'acc_1',
      accountName: 'Account',
      userId: o.userId ?? 'usr_1',
      userName: 'Mara',
      userEmail: 'mara@test.example',
      roles: [role],
      permissions: permissionsOf(role, true),
      budgets: DEFAULT_BUDGETS,
      defaultLicence: 'active',
      maxConnectionsPerEndUser: 20,
    },
    isActive,
    isAccountOpen,
  };
  const { keyScopes = null, toolsetId = null } = o;
  const known: OwnedKey = {
    owner,
    keyId: 'key_1',
    expiresAt: o.expiresAt ?? null,
    scopes: keyScopes,
    toolsetId,
  };
  const token: AccessToken = {
    tokenId: 'jti_1',
    accountId: 'acc_1',
    userId: 'usr_1',
    clientId: 'client_1',
    scopes: o.scopes ?? [],
    expiresAt: new Date(NOW.getTime() + 1000),
    grantId: o.grantId,
    audience: API,
    issuedAt: NOW,
  };
  const answer = <T>(value: T): Promise<T> =>
    o.isAway === true
      ? Promise.reject(new ApiError('UNAVAILABLE', 'Identity is away.'))
      : Promise.resolve(value);
  const authenticate = createAuthenticate({
    clock,
    accepted: { audience: API, isKeyBearer: false },
    credentials: {
      findKey: (hash) => {
        lookups.push(hash);
        return answer(hash === hashApiKey(key) ? known : undefined);
      },
      findTokenOwner: ({ tokenId }) => answer(tokenId === 'jti_1' ? owner : undefined),
      findUser: () => Promise.reject(new Error('No request asks.')),
    },
    tokens: {
      read: (text, audience) =>
        (text === 'good.jwt' && audience === API) || (text === 'mcp.jwt' && audience === MCP)
          ? token
          : undefined,
    },
    keyUses: { note: (keyId, at) => uses.push([keyId, at]) },
  });
  return { authenticate, lookups, uses, clock };
}

const bearer = { authorization: 'Bearer good.jwt' };
const headers = { 'x-api-key': key.reveal() };
const UNAUTHORIZED = { code: 'UNAUTHORIZED' };

describe('authentication', () => {
  test('a key authenticates as its owner, with the permissions of the owner’s role', async () => {
    expect(await setUp().authenticate(headers)).toMatchObject({
      accountId: 'acc_1',
      userId: 'usr_1',
      credentialType: 'apiKey',
      credentialId: 'key_1',
      roles: ['member'],
      permissions: expect.not.arrayContaining(['tools.write']) as unknown,
      isAdministrationGranted: true,
      scopes: null,
    });
  });

  test('a key whose checksum is wrong is refused without a lookup', async () => {
    const { authenticate, lookups } = setUp();
    const mistyped = key.reveal().slice(0, -1) + (key.reveal().endsWith('a') ? 'b' : 'a');
    await expect(authenticate({ 'x-api-key': mistyped })).rejects.toMatchObject(UNAUTHORIZED);
    expect(lookups).toEqual([]);
  });

  test('an unknown well-formed key and a missing key are refused', async () => {
    const { authenticate } = setUp();
    await expect(authenticate({ 'x-api-key': generateApiKey().reveal() })).rejects.toMatchObject(
      UNAUTHORIZED,
    );
    await expect(authenticate({})).rejects.toMatchObject(UNAUTHORIZED);
  });

  test.each(['Bearer eyJhbGciOiJub25lIn0.e30.', `Bearer ${key.reveal()}`, 'Basic dXNlcjpwYXNz', 'Bearer'])(
    'Authorization: %s is refused, also beside a valid key',
    async (authorization) => {
      const { authenticate } = setUp();
      await expect(authenticate({ authorization, ...headers })).rejects.toMatchObject(UNAUTHORIZED);
      await expect(authenticate({ authorization })).rejects.toMatchObject(UNAUTHORIZED);
    },
  );

  test('a key is refused from the millisecond of its expiry on', async () => {
    const { authenticate, clock } = setUp({ expiresAt: new Date(NOW.getTime() + 1) });
    await expect(authenticate(headers)).resolves.toBeDefined();
    clock.advance(1);
    await expect(authenticate(headers)).rejects.toMatchObject(UNAUTHORIZED);
  });

  test.each([headers, bearer])('%j of a user who is not active is ACCOUNT_USER_INACTIVE', async (sent) => {
    const { authenticate, uses } = setUp({ isActive: false });
    await expect(authenticate(sent)).rejects.toMatchObject({ code: 'ACCOUNT_USER_INACTIVE' });
    expect(uses).toEqual([]);
  });

  test.each([headers, bearer])('%j of an account that is being erased is refused', async (sent) => {
    const { authenticate } = setUp({ isAccountOpen: false, isActive: false });
    await expect(authenticate(sent)).rejects.toMatchObject(UNAUTHORIZED);
  });

  test.each([headers, bearer])('%j is UNAVAILABLE while nobody knows whose it is', async (sent) => {
    const { authenticate, uses } = setUp({ isAway: true });
    await expect(authenticate(sent)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(authenticate({ 'x-api-key': 'mistyped' })).rejects.toMatchObject(UNAUTHORIZED);
    expect(uses).toEqual([]);
  });

  test('a use is noted of a key that opens, and of no other', async () => {
    const { authenticate, uses } = setUp();
    await authenticate(headers);
    await expect(authenticate({ 'x-api-key': generateApiKey().reveal() })).rejects.toMatchObject(
      UNAUTHORIZED,
    );
    await authenticate(bearer);
    expect(uses).toEqual([['key_1', NOW]]);
  });
});

test('a key with scopes or a toolset does not administer the account, and says what it is limited to', async () => {
  const headers = { 'x-api-key': key.reveal() };
  const principalOf = (o: Parameters<typeof setUp>[0]) => setUp(o).authenticate(headers);
  expect(await principalOf({ role: 'owner' })).toMatchObject({
    scopes: null,
    toolsetId: null,
    isAdministrationGranted: true,
  });
  for (const o of [{ keyScopes: PERMISSIONS }, { keyScopes: [] }, { toolsetId: 'toolset-1' }])
    expect(await principalOf({ role: 'owner', ...o })).toMatchObject({
      scopes: 'keyScopes' in o ? o.keyScopes : null,
      toolsetId: 'toolsetId' in o ? o.toolsetId : null,
      isAdministrationGranted: false,
    });
});

describe('authentication by a bearer token', () => {
  test('its user may do what both the scopes and the role allow', async () => {
    const { authenticate } = setUp({
      scopes: ['tools.read', 'tools.write', 'tools.execute', 'administration'],
    });
    expect(await authenticate(bearer)).toMatchObject({
      accountId: 'acc_1',
      userId: 'usr_1',
      credentialType: 'bearer',
      credentialId: 'jti_1',
      roles: ['member'],
      scopes: ['tools.read', 'tools.write', 'tools.execute', 'administration'],
      permissions: ['tools.read', 'tools.execute'],
      isAdministrationGranted: true,
    });
  });

  test.each([{ clientId: 'client_1' }, { clientId: 'client_1', grantId: 'grant_1' }])(
    'says what it belongs to: %o',
    async (client) => {
      expect((await setUp(client).authenticate(bearer)).client).toEqual(client);
      expect(await setUp(client).authenticate(headers)).not.toHaveProperty('client');
    },
  );

  test('without the scope of administration it does not grant that, whatever the role', async () => {
    const { authenticate } = setUp({ role: 'owner', scopes: ['tools.read'] });
    expect(await authenticate(bearer)).toMatchObject({
      roles: ['owner'],
      isAdministrationGranted: false,
      permissions: ['tools.read'],
    });
  });

  test.each(['Bearer good.jwt', 'bearer good.jwt', 'Bearer  good.jwt '])(
    '%j wins over a key beside it, a good one or not',
    async (authorization) => {
      const { authenticate, lookups } = setUp();
      expect(await authenticate({ authorization, ...headers })).toMatchObject({ credentialType: 'bearer' });
      expect(await authenticate({ authorization, 'x-api-key': 'bad' })).toMatchObject({
        credentialType: 'bearer',
      });
      expect(lookups).toEqual([]);
    },
  );

  test('a token that was issued to another user than its owner is refused', async () => {
    const { authenticate } = setUp({ userId: 'usr_2' });
    await expect(authenticate(bearer)).rejects.toMatchObject(UNAUTHORIZED);
  });
});

describe('at the address of an MCP server', () => {
  const accepted = { audience: MCP, isKeyBearer: true };

  test.each(['Bearer ', 'bearer  '])('a key may be a bearer credential: %s', async (scheme) => {
    const { authenticate, uses } = setUp();
    const authorization = scheme + key.reveal();
    expect(await authenticate({ authorization }, accepted)).toMatchObject({
      credentialType: 'apiKey',
      credentialId: 'key_1',
    });
    expect(uses).toEqual([['key_1', NOW]]);
  });

  test('a token is for this address; one of the REST API is refused, as this one is there', async () => {
    const { authenticate } = setUp();
    const sent = { authorization: 'Bearer mcp.jwt' };
    expect(await authenticate(sent, accepted)).toMatchObject({ credentialType: 'bearer' });
    await expect(authenticate(bearer, accepted)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(authenticate(sent)).rejects.toMatchObject(UNAUTHORIZED);
  });

  test('a bad bearer credential wins over a valid key beside it', async () => {
    const { authenticate } = setUp();
    for (const authorization of [`Bearer ${generateApiKey().reveal()}`, 'Basic dXNlcjpwYXNz'])
      await expect(authenticate({ authorization, ...headers }, accepted)).rejects.toMatchObject(UNAUTHORIZED);
  });
});
