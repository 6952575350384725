import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, test } from 'vitest';
import type { AuthProviderWithSecrets } from '../domain/auth-provider.ts';
import type { Connection } from '../domain/connection.ts';
import type { Tokens } from '../domain/credential.ts';
import {
  connection,
  connectorHead,
  heldProviders,
  NOW,
  openedProvider,
  OWNER,
  providerMethod,
  tokens,
} from '../testing/builders.ts';
import { getCredentials } from './get-credentials.ts';
import type { RefreshOutcome } from './refresh-token.ts';

const ctx = testContext(OWNER);
const inMs = (ms: number): Date => new Date(NOW.getTime() + ms);
const expired = { expiresAt: NOW };
const due = { obtainedAt: inMs(-3_599_000), expiresAt: inMs(1_000) };
const unavailable: RefreshOutcome = { kind: 'unavailable', reason: 'down' };

/** One connection whose tokens `refresh` renews; members can be overridden. */
function memory(o: {
  readonly tokens?: Partial<Tokens> | null;
  readonly connection?: Partial<Connection>;
  readonly refresh?: () => Promise<RefreshOutcome>;
  readonly provider?: AuthProviderWithSecrets;
}) {
  let stored = connection(o.connection);
  let held = o.tokens === null ? null : tokens(o.tokens);
  let refreshes = 0;
  const renew = (): Promise<RefreshOutcome> => {
    const addressRevision = o.provider?.provider.addressRevision ?? null;
    stored = { ...stored, addressRevision, credentialVersion: stored.credentialVersion + 1 };
    held = tokens({ accessToken: new Secret('renewed') });
    return Promise.resolve({ kind: 'settled' });
  };
  return {
    refreshes: () => refreshes,
    credentials: {
      read: (_ctx: unknown, accountId: string, id: number) =>
        Promise.resolve(
          accountId === stored.accountId && id === stored.id
            ? { connection: stored, credential: { secretFields: new Secret({}), tokens: held } }
            : undefined,
        ),
    },
    refresher: {
      refresh: () => {
        refreshes += 1;
        return (o.refresh ?? renew)();
      },
    },
    catalog: {
      getConnector: () => Promise.resolve(connectorHead({ authenticationMethods: [providerMethod()] })),
    },
    authProviders: heldProviders(o.provider),
    ownClients: { find: () => undefined },
    clock: new ManualClock(NOW),
  };
}

const usable = (accessToken: string) => ({ kind: 'credential', credential: { accessToken } });

describe('a credential', () => {
  test.each([
    ['with a fresh token', {}, undefined],
    ['whose rejected version is no longer the current one', { connection: { credentialVersion: 5 } }, 4],
    ['that is due, but cannot be renewed', { tokens: { ...due, refreshToken: null } }, undefined],
  ])('%s is opened as it is', async (_name, o, rejected) => {
    const deps = memory(o);
    expect(await getCredentials(deps, ctx, 7, rejected)).toMatchObject(usable('access'));
    expect(deps.refreshes()).toBe(0);
  });

  test.each([
    ['due', { tokens: due }, undefined],
    ['expired', { tokens: expired }, undefined],
    ['missing', { tokens: null, connection: { grant: 'clientCredentials' } as const }, undefined],
    [
      'due, of a client that needs no refresh token',
      { tokens: { ...due, refreshToken: null }, connection: { grant: 'clientCredentials' } as const },
      undefined,
    ],
    ['the one that the caller names as rejected', {}, 1],
    [
      'granted at a former address of its auth provider',
      { connection: { authProviderId: 3 }, provider: openedProvider({ addressRevision: 'moved' }) },
      undefined,
    ],
  ])('whose token is %s is renewed first', async (_name, o, rejected) => {
    const deps = memory(o);
    expect(await getCredentials(deps, ctx, 7, rejected)).toMatchObject(usable('renewed'));
    expect(deps.refreshes()).toBe(1);
  });

  test('of fields alone is opened, whatever was rejected', async () => {
    const deps = memory({ tokens: null, connection: { grant: 'fields' } });
    expect(await getCredentials(deps, ctx, 7, 1)).toMatchObject({
      kind: 'credential',
      credential: { version: 1 },
    });
    expect(deps.refreshes()).toBe(0);
  });

  test('of another account, and an unknown one, is NOT_FOUND', async () => {
    for (const [caller, id] of [
      [testContext(), 7],
      [ctx, 8],
    ] as const) {
      await expect(getCredentials(memory({}), caller, id, undefined)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
  });
});

describe('a refresh that brings nothing', () => {
  const refresh = () => Promise.resolve(unavailable);

  test('keeps a due token in use, and makes an expired one unavailable, with the reason', async () => {
    const usableYet = memory({ tokens: due, refresh });
    expect(await getCredentials(usableYet, ctx, 7, undefined)).toMatchObject(usable('access'));
    expect(usableYet.refreshes()).toBe(1);
    const deps = memory({ tokens: expired, refresh });
    expect(await getCredentials(deps, ctx, 7, undefined)).toEqual({
      kind: 'unavailable',
      message: 'CRM issued no access token: down',
    });
    expect(deps.refreshes()).toBe(1);
  });

  test('is not repeated forever if the vendor’s tokens expire at once', async () => {
    const deps = memory({ tokens: expired, refresh: () => Promise.resolve({ kind: 'settled' }) });
    expect(await getCredentials(deps, ctx, 7, undefined)).toEqual({
      kind: 'unavailable',
      message: 'CRM issued no access token.',
    });
    expect(deps.refreshes()).toBe(2);
  });

  test('does not hold a caller that disconnects', async () => {
    const hangUp = new AbortController();
    const deps = memory({ tokens: expired, refresh: () => new Promise(() => {}) });
    const call = getCredentials(deps, { ...ctx, signal: hangUp.signal }, 7, undefined);
    await expect.poll(() => deps.refreshes()).toBe(1);
    hangUp.abort();
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT' });
  });
});

test.each([
  ['authorizationCode', 'CRM no longer accepts the sign-in of this connection. Sign in again.'],
  ['clientCredentials', 'CRM refused the OAuth client of this connection. Replace its fields.'],
] as const)(
  'a refused grant of kind %s says what to do, and the vendor is not called again',
  async (grant, message) => {
    const deps = memory({ connection: { grant, needsReauthentication: true } });
    expect(await getCredentials(deps, ctx, 7, undefined)).toEqual({ kind: 'needsReauthentication', message });
    expect(deps.refreshes()).toBe(0);
  },
);
