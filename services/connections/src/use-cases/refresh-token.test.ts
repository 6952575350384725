import type { TokenSet } from '@fairlead/connector-runtime/token-client';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { busyPermits, onePermit } from '@fairlead/service-kit/testing/permits';
import { beforeEach, expect, test } from 'vitest';
import type { Connection } from '../domain/connection.ts';
import type { Tokens } from '../domain/credential.ts';
import type { ConnectionWithCredential, RefreshClaim } from '../ports/credential-store.ts';
import {
  connection,
  connectorHead,
  NOW,
  OWNER,
  tokens,
  heldProviders,
  registeredClients,
} from '../testing/builders.ts';
import { getCredentials } from './get-credentials.ts';
import { createTokenRefresher } from './refresh-token.ts';

let clock = new ManualClock(NOW);
const ctx = testContext(OWNER);

/** One connection in memory, with the lease rules of the credential store. */
function memory(over: { tokens?: Partial<Tokens>; connection?: Partial<Connection> } = {}) {
  const expired = tokens({
    accessToken: new Secret('old-access'),
    refreshToken: new Secret('old-refresh'),
    obtainedAt: new Date(NOW.getTime() - 3_600_000),
    expiresAt: NOW,
    ...over.tokens,
  });
  let opened: ConnectionWithCredential = {
    connection: connection(over.connection),
    credential: { secretFields: new Secret({}), tokens: expired },
  };
  const written: string[] = [];
  const vendors: (string | undefined)[] = [];
  const scopes: (readonly string[] | undefined)[] = [];
  let failingSince: Date | null = null;
  return {
    written,
    vendors,
    scopes,
    opened: () => opened,
    read: () => Promise.resolve(opened),
    claim: (): Promise<RefreshClaim> => Promise.resolve({ kind: 'claimed', opened, failingSince }),
    saveTokens: (
      _ctx: RequestContext,
      _key: unknown,
      tokens: Tokens,
      { vendor, grantedScopes }: { vendor: string | undefined; grantedScopes?: readonly string[] },
    ) => {
      failingSince = null;
      vendors.push(vendor);
      scopes.push(grantedScopes);
      written.push(`tokens ${tokens.accessToken.reveal()} ${tokens.refreshToken?.reveal() ?? ''}`.trim());
      const credentialVersion = opened.connection.credentialVersion + 1;
      opened = {
        connection: { ...opened.connection, credentialVersion },
        credential: { ...opened.credential, tokens },
      };
      return Promise.resolve();
    },
    saveRefusal: (_ctx: unknown, _key: unknown, { reason }: { readonly reason: string }) => {
      written.push(`refusal: ${reason}`);
      opened = { ...opened, connection: { ...opened.connection, needsReauthentication: true } };
      return Promise.resolve();
    },
    saveFailure: (_ctx: unknown, _key: unknown, failure: { failingSince: Date; retryAt: Date }) => {
      ({ failingSince } = failure);
      written.push(
        `again in ${Math.ceil((failure.retryAt.getTime() - clock.now().getTime()) / 3_600_000)} h`,
      );
      return Promise.resolve();
    },
  };
}

let calls: AbortSignal[];
let respond: (signal: AbortSignal) => Promise<TokenSet>;
const granted: TokenSet = {
  accessToken: 'new-access',
  refreshToken: 'new-refresh',
  expiresAt: new Date(NOW.getTime() + 3_600_000),
  scopes: [],
  raw: {},
};

beforeEach(() => {
  clock = new ManualClock(NOW);
  calls = [];
  respond = () => Promise.resolve(granted);
});

function depsOver(credentials: ReturnType<typeof memory>, refreshPermits = onePermit()) {
  const ask = (_scheme: unknown, { signal }: { readonly signal: AbortSignal }): Promise<TokenSet> => {
    calls.push(signal);
    return respond(signal);
  };
  const shared = {
    catalog: { getConnector: () => Promise.resolve(connectorHead()) },
    ownClients: { find: () => ({ clientId: 'id', clientSecret: 'client-secret' }) },
    authProviders: heldProviders(),
    registeredClients: registeredClients(),
  };
  const refresher = createTokenRefresher(
    {
      ...shared,
      credentials,
      tokenClient: { refresh: ask, clientCredentials: ask },
      refreshPermits,
      clock,
    },
    'call',
  );
  return { ...shared, credentials, refresher, clock };
}

test('callers of one process share one attempt, and its failure', async () => {
  respond = () => Promise.reject(new TokenError('unavailable', 'down, said old-refresh'));
  const credentials = memory();
  const deps = depsOver(credentials);
  const all = await Promise.all(Array.from({ length: 10 }, () => getCredentials(deps, ctx, 7, undefined)));
  expect(calls).toHaveLength(1);
  expect(credentials.written).toEqual(['again in 1 h']);
  expect(new Set(all.map((outcome) => JSON.stringify(outcome)))).toEqual(
    new Set([JSON.stringify({ kind: 'unavailable', message: 'CRM issued no access token: down, said ***' })]),
  );
});

test.each([
  ['that the vendor names take the place of the former, without its tokens', true, ['read', 'x-***']],
  ['stay if the vendor names none', undefined, undefined],
] as const)('scopes %s', async (_name, states, expected) => {
  const scopes = ['read', 'x-new-access'];
  respond = () => Promise.resolve({ ...granted, scopes, ...(states && { statesScopes: states }) });
  const credentials = memory();
  await getCredentials(depsOver(credentials), ctx, 7, undefined);
  expect(credentials.scopes).toEqual([expected]);
});

test('a caller that disconnects does not end the attempt, and shutdown waits for it', async () => {
  const { promise, resolve } = Promise.withResolvers<TokenSet>();
  respond = () => promise;
  const credentials = memory();
  const deps = depsOver(credentials);
  const hangUp = new AbortController();
  const call = getCredentials(deps, { ...ctx, signal: hangUp.signal }, 7, undefined);
  await expect.poll(() => calls.length).toBe(1);
  hangUp.abort();
  await expect(call).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(calls[0]?.aborted).toBe(false);
  const drained = deps.refresher.drain();
  resolve(granted);
  await drained;
  expect(credentials.written).toEqual(['tokens new-access new-refresh']);
});

test('granted tokens whose storage fails at first are stored, and the vendor sees the former ones once', async () => {
  const credentials = memory();
  const { saveTokens } = credentials;
  let failures = 0;
  credentials.saveTokens = (...given) => {
    if (failures === 2) return saveTokens(...given);
    failures += 1;
    return Promise.reject(new Error('no primary'));
  };
  const deps = depsOver(credentials);
  expect(await getCredentials(deps, ctx, 7, undefined)).toMatchObject({
    kind: 'credential',
    credential: { accessToken: 'new-access' },
  });
  expect(calls).toHaveLength(1);
  expect(credentials.written).toEqual(['tokens new-access new-refresh']);
});

test('a refusal is final and recorded without a secret; the next call does not call the vendor', async () => {
  respond = () => Promise.reject(new TokenError('refused', 'no to old-refresh', { code: 'invalid_grant' }));
  const credentials = memory();
  const deps = depsOver(credentials);
  for (let call = 0; call < 2; call += 1) {
    expect(await getCredentials(deps, ctx, 7, undefined)).toMatchObject({ kind: 'needsReauthentication' });
  }
  expect(calls).toHaveLength(1);
  expect(credentials.written).toEqual(['refusal: no to ***']);
});

test.each(['invalid_client', 'unauthorized_client', 'invalid_scope', 'access_denied', undefined])(
  'a refusal with the code %s changes nothing, whoever holds the client, and what succeeds next is used',
  async (code) => {
    const own = { authProviderId: null, fields: { clientId: 'a', clientSecret: 'b' } };
    for (const grant of ['clientCredentials', 'authorizationCode'] as const) {
      for (const client of [{}, own]) {
        respond = () => Promise.reject(new TokenError('refused', 'no', { code }));
        const credentials = memory({ connection: { grant, ...client } });
        const deps = depsOver(credentials);
        expect(await getCredentials(deps, ctx, 7, undefined)).toMatchObject({ kind: 'unavailable' });
        expect(credentials.written).toEqual(['again in 1 h']);
        respond = () => Promise.resolve(granted);
        expect(await getCredentials(deps, ctx, 7, undefined)).toMatchObject({ kind: 'credential' });
      }
    }
  },
);

test('an attempt that fails is due again hourly for a day, then daily, until one succeeds, which is noted', async () => {
  const { log, lines } = captureLog();
  const logged = testContext({ ...OWNER, log });
  const credentials = memory();
  const { refresher } = depsOver(credentials);
  const attempt = () => refresher.refresh(logged, { ...OWNER, id: 7, credentialVersion: 1 });
  respond = () => Promise.reject(new TokenError('refused', 'no', { code: 'invalid_client' }));
  for (let hour = 0; hour <= 24; hour += 1) {
    expect(await attempt()).toEqual({ kind: 'unavailable', reason: 'no' });
    clock.advance(3_600_000);
  }
  expect(credentials.written.slice(0, 24)).toEqual(Array.from({ length: 24 }, () => 'again in 1 h'));
  expect(credentials.written.slice(24)).toEqual(['again in 24 h']);
  const messages = (): unknown[] => lines().map(({ msg }) => msg);
  expect(messages()).toEqual(['a grant could not be renewed for a day']);
  respond = () => Promise.resolve(granted);
  await attempt();
  await attempt();
  expect(messages().slice(1)).toEqual(['a grant can be renewed again']);
  expect(credentials.vendors).toEqual(['vendor.example', 'vendor.example']);
});

test('an account that renews as many credentials as it may is refused, with no lease taken and the vendor not called', async () => {
  const credentials = memory();
  const busy = depsOver(credentials, busyPermits(OWNER.accountId));
  await expect(getCredentials(busy, ctx, 7, undefined)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds: 1,
  });
  expect([calls, credentials.written]).toEqual([[], []]);
  const free = depsOver(credentials, busyPermits('another account'));
  expect(await getCredentials(free, ctx, 7, undefined)).toMatchObject({ kind: 'credential' });
});

test('a stop ends the attempts that wait, without calling the vendor', async () => {
  respond = () => promise;
  const { promise, resolve } = Promise.withResolvers<TokenSet>();
  const deps = depsOver(memory());
  const running = deps.refresher.refresh(ctx, connection({ id: 7 }));
  const waiting = deps.refresher.refresh(ctx, connection({ id: 8 }));
  await expect.poll(() => calls.length).toBe(1);
  const drained = deps.refresher.drain();
  await expect(waiting).rejects.toMatchObject({ code: 'TIMEOUT' });
  resolve(granted);
  await Promise.all([running, drained]);
  expect(calls).toHaveLength(1);
});

test('an unreachable catalogue is unavailable, and the lease is released', async () => {
  const credentials = memory();
  const deps = depsOver(credentials);
  const unreachable = createTokenRefresher(
    {
      catalog: { getConnector: () => Promise.reject(new ApiError('UNAVAILABLE', 'unavailable')) },
      credentials,
      authProviders: heldProviders(),
      registeredClients: registeredClients(),
      ownClients: { find: () => undefined },
      tokenClient: {
        refresh: () => Promise.resolve(granted),
        clientCredentials: () => Promise.resolve(granted),
      },
      refreshPermits: onePermit(),
      clock,
    },
    'call',
  );
  const outcome = await getCredentials({ ...deps, refresher: unreachable }, ctx, 7, undefined);
  expect(outcome).toEqual({ kind: 'unavailable', message: 'CRM issued no access token: unavailable' });
  expect(credentials.written).toEqual(['again in 1 h']);
});

test('without a refresh token an access token is used until it expires; then a sign-in is needed', async () => {
  const due = { refreshToken: null, expiresAt: new Date(NOW.getTime() + 1000) };
  const usable = await getCredentials(depsOver(memory({ tokens: due })), ctx, 7, undefined);
  expect(usable).toMatchObject({ kind: 'credential', credential: { accessToken: 'old-access' } });
  const over = await getCredentials(depsOver(memory({ tokens: { refreshToken: null } })), ctx, 7, undefined);
  expect(over).toMatchObject({ kind: 'needsReauthentication' });
  expect(calls).toHaveLength(0);
});
