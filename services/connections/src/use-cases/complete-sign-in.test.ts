import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import type { TokenSet } from '@fairlead/connector-runtime/token-client';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { busyPermits, onePermit } from '@fairlead/service-kit/testing/permits';
import { describe, expect, test } from 'vitest';
import type { Tokens } from '../domain/credential.ts';
import { signInAddresses } from '../domain/sign-in-addresses.ts';
import type { SignInOutcome } from '../domain/sign-in.ts';
import { hashBinding } from '../domain/sign-in.ts';
import {
  connectorHead,
  discoveredServer,
  field,
  NOW,
  oauth2Scheme,
  oauthMethod,
  openedProvider,
  OWNER,
  redeemableSignIn,
  heldProviders,
  registeredClients,
} from '../testing/builders.ts';
import { completeSignIn } from './complete-sign-in.ts';

const gateway = testContext({ caller: { kind: 'service', service: 'gateway' } });
const browserBinding = new Secret('browser');
const pending = redeemableSignIn();
const addresses = signInAddresses('https://api.example');
const granted: TokenSet = { accessToken: 'access', refreshToken: 'refresh', scopes: [], raw: {} };
const request = { method: 'GET', url: '/workspaces', query: {}, headers: {}, body: null } as const;
const choice = field('workspace', {
  type: 'select',
  dynamicOptions: { request, itemsPointer: '', valuePointer: '/id', labelPointer: '/name' },
});

interface Vendor {
  readonly exchangeCode?: () => Promise<TokenSet>;
  readonly fieldOptions?: () => Promise<Record<string, Record<string, string>>>;
}

/** A pending sign-in of a browser, and its recorded outcome. */
function world(
  o: Vendor & {
    method?: Partial<AuthenticationMethod>;
    hasClient?: boolean;
    connectSessionId?: string;
    redirectUri?: string;
    vendorPermits?: AccountPermits;
    /** The issuer for which the auth provider of an MCP sign-in was created. */
    providerIssuer?: string;
  } = {},
) {
  const { providerIssuer } = o;
  const mine = {
    ...pending,
    connectSessionId: o.connectSessionId ?? null,
    ...(o.redirectUri !== undefined && { redirectUri: o.redirectUri }),
    ...(providerIssuer !== undefined && {
      authProviderId: 3,
      server: discoveredServer({ statesIssuer: false }),
    }),
  };
  const ends: (SignInOutcome | string)[] = [];
  const held: unknown[] = [];
  const sessionErrors: unknown[] = [];
  const asked: unknown[] = [];
  const contexts: RequestContext[] = [];
  const deps = {
    catalog: {
      getConnector: (ctx: RequestContext) => {
        contexts.push(ctx);
        return Promise.resolve(connectorHead({ authenticationMethods: [oauthMethod(o.method)] }));
      },
    },
    connections: { takenNames: () => Promise.resolve(new Set(['CRM'])) },
    signIns: {
      claim: (_ctx: unknown, state: string, hash: string, now: Date) => {
        const isBrowser = hash === hashBinding(browserBinding) && now.getTime() === NOW.getTime();
        return Promise.resolve(isBrowser && state === pending.state ? mine : undefined);
      },
      holdGrant: (_ctx: unknown, { state }: { state: string }, { accessToken }: Tokens) => {
        held.push([state, accessToken.reveal()]);
        return Promise.resolve();
      },
      complete: (_ctx: unknown, _signIn: unknown, outcome: SignInOutcome) => {
        ends.push(outcome);
        return Promise.resolve();
      },
      fail: (_ctx: unknown, _signIn: unknown, reason: string) => {
        ends.push(reason);
        return Promise.resolve();
      },
    },
    authProviders: heldProviders(
      providerIssuer === undefined
        ? undefined
        : openedProvider({ values: { Key1: 'p', BaseUrl: providerIssuer } }),
    ),
    registeredClients: registeredClients(),
    connectSessions: {
      saveLastError: (_ctx: unknown, accountId: string, id: string, lastError: string, now: Date) => {
        sessionErrors.push({ accountId, id, lastError, now });
        return Promise.resolve();
      },
    },
    ownClients: {
      find: () => (o.hasClient === false ? undefined : { clientId: 'id', clientSecret: 'client-s3cr3t' }),
    },
    tokenClient: {
      exchangeCode: (_scheme: unknown, given: unknown) => {
        asked.push(given);
        return o.exchangeCode?.() ?? Promise.resolve(granted);
      },
    },
    runtime: { fieldOptions: () => o.fieldOptions?.() ?? Promise.resolve({}) },
    vendorPermits: o.vendorPermits ?? onePermit(),
    addresses,
    clock: new ManualClock(NOW),
  };
  const complete = (
    query: string,
    over: { state?: string; binding?: Secret; ctx?: RequestContext; segment?: string } = {},
  ) =>
    completeSignIn(deps, over.ctx ?? gateway, {
      state: over.state ?? pending.state,
      browserBinding: over.binding ?? browserBinding,
      callbackQuery: new Secret(query),
      callbackSegment: over.segment ?? '',
    });
  return { ends, held, asked, contexts, complete, sessionErrors };
}

describe('an authorised sign-in', () => {
  test('is redeemed with its verifier, and recorded with a name that is still free', async () => {
    const { ends, asked, complete } = world();
    expect(await complete('code=c0de')).toEqual({ applicationName: 'CRM' });
    expect(asked).toEqual([
      {
        accountId: 'acc_1',
        client: { clientId: 'id', clientSecret: 'client-s3cr3t' },
        values: { field: { clientId: 'id', clientSecret: 'client-s3cr3t' } },
        redirectUri: 'https://api.example/connect/callback',
        code: 'c0de',
        codeVerifier: 'verifier',
        signal: expect.any(AbortSignal) as unknown,
      },
    ]);
    expect(ends).toMatchObject([
      { suggestedName: 'CRM 2', fieldOptions: {}, tokens: { obtainedAt: NOW, expiresAt: null } },
    ]);
  });

  test.each([
    ['those that the vendor names', ['read'], ['read']],
    ['the requested ones if it names none', [], ['read', 'write']],
  ])('has the scopes %s', async (_name, scopes, expected) => {
    const { ends, complete } = world({
      method: { scheme: oauth2Scheme({ scopes: ['read', 'write'] }) },
      exchangeCode: () => Promise.resolve({ ...granted, scopes }),
    });
    await complete('code=c');
    expect(ends).toMatchObject([{ grantedScopes: expected }]);
  });

  test('lists the choices that the vendor offers', async () => {
    const fieldOptions = () => Promise.resolve({ workspace: { a: 'A' } });
    const { ends, complete } = world({ method: { fields: [choice] }, fieldOptions });
    await complete('code=c');
    expect(ends).toMatchObject([{ fieldOptions: { workspace: { a: 'A' } } }]);
  });

  test('keeps no token that the vendor repeats in scopes or choices', async () => {
    const fieldOptions = () =>
      Promise.resolve({ workspace: { a: 'A of access', access: 'B', [encodeURIComponent('refresh')]: 'C' } });
    const exchangeCode = () => Promise.resolve({ ...granted, scopes: ['read', 'as-access'] });
    const { ends, complete } = world({ method: { fields: [choice] }, fieldOptions, exchangeCode });
    await complete('code=c');
    expect(ends).toMatchObject([
      { grantedScopes: ['read', 'as-***'], fieldOptions: { workspace: { a: 'A of ***' } } },
    ]);
    expect(ends[0]).toHaveProperty('fieldOptions', { workspace: { a: 'A of ***' } });
  });

  test('the vendor’s refusal in the callback holds no secret of ours', async () => {
    const { ends, complete } = world();
    const text = new URLSearchParams({ error: 'x', error_description: 'no client-s3cr3t, verifier' });
    await expect(complete(text.toString())).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
    expect(ends).toEqual(['no ***, ***']);
  });

  test('continues for its user after the returning browser has disconnected', async () => {
    const { contexts, complete } = world();
    await complete('code=c', { ctx: { ...gateway, signal: AbortSignal.abort() } });
    expect(contexts).toMatchObject([{ caller: { kind: 'user', ...OWNER }, signal: { aborted: false } }]);
  });
});

test.each([
  ['another browser', { binding: new Secret('other') }],
  ['an unknown state', { state: '0192f0c1-2345-4678-9abc-def012345679' }],
  ['a text that is not a state', { state: 'x' }],
])('%s is OAUTH_STATE_EXPIRED; the vendor is not called and nothing is recorded', async (_name, over) => {
  const { ends, asked, complete } = world();
  await expect(complete('code=c', over)).rejects.toMatchObject({ code: 'OAUTH_STATE_EXPIRED' });
  expect([ends, asked]).toEqual([[], []]);
});

test('an auth provider that moved to another server meanwhile: the former one gets neither its secret nor the code', async () => {
  const fields = [
    field('clientId', { isRequired: true, providerSlot: 'Key1' }),
    field('clientSecret', { isPassword: true, providerSlot: 'Key2' }),
    field('issuer', { isRequired: true, providerSlot: 'BaseUrl' }),
  ];
  const same = world({ method: { fields }, providerIssuer: 'https://login.example/' });
  await same.complete('code=c');
  expect(same.asked).toMatchObject([{ client: { clientId: 'p', clientSecret: 'provider-s3cr3t' } }]);
  const moved = world({ method: { fields }, providerIssuer: 'https://other.example' });
  await expect(moved.complete('code=c')).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
  expect(moved.asked).toEqual([]);
  expect(moved.ends).toEqual(['the OAuth client of this sign-in is no longer available']);
});

test('a response at the address of another server is not redeemed, nor an error believed', async () => {
  const own = world({ redirectUri: addresses.redirectUriAt('https://login.example') });
  const segmentOf = (issuer: string) => addresses.redirectUriAt(issuer).split('/').at(-1) ?? '';
  const refusal = 'the response came from a different authorization server';
  for (const segment of ['', 'client', segmentOf('https://evil.example')]) {
    for (const query of ['code=c', 'error=invalid_client'])
      await expect(own.complete(query, { segment })).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
  }
  expect([own.asked, new Set(own.ends)]).toEqual([[], new Set([refusal])]);
  await own.complete('code=c', { segment: segmentOf('https://login.example') });
  expect(own.asked).toMatchObject([{ redirectUri: addresses.redirectUriAt('https://login.example') }]);
  const catalogue = world();
  await expect(
    catalogue.complete('code=c', { segment: segmentOf('https://login.example') }),
  ).rejects.toMatchObject({
    code: 'OAUTH_SIGN_IN_FAILED',
  });
  expect(catalogue.asked).toEqual([]);
});

describe('a sign-in without a grant is OAUTH_SIGN_IN_FAILED, with the reason recorded', () => {
  test.each([
    ['refused by the person', 'error=access_denied', {}, 'access_denied'],
    ['with the verifier in the error', 'error=verifier', {}, '***'],
    [
      'with a response from another server',
      'code=c&iss=https%3A%2F%2Fevil.example',
      {},
      'the response came from a different authorization server',
    ],
    [
      'of a client that is gone',
      'code=c',
      { hasClient: false },
      'the OAuth client of this sign-in is no longer available',
    ],
  ])('%s', async (_name, query, o, reason) => {
    const { ends, asked, complete } = world(o);
    await expect(complete(query)).rejects.toMatchObject({
      code: 'OAUTH_SIGN_IN_FAILED',
      message: `The sign-in failed: ${reason}`,
    });
    expect([ends, asked]).toEqual([[reason], []]);
  });

  test('refused by the token endpoint, without the code and the client secret in its text', async () => {
    const failure = new TokenError('refused', 'c0de and client-s3cr3t and verifier are wrong');
    const { ends, complete } = world({ exchangeCode: () => Promise.reject(failure) });
    await expect(complete('code=c0de')).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
    expect(ends).toEqual(['*** and *** and *** are wrong']);
  });

  test('whose choices cannot be listed, without the new token in the text', async () => {
    const fieldOptions = () => Promise.reject(new CallFailure('access is not enough'));
    const { ends, held, complete } = world({ method: { fields: [choice] }, fieldOptions });
    await expect(complete('code=c')).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
    expect(ends).toEqual(['*** is not enough']);
    // The vendor has granted it nevertheless, so the grant is kept for revocation.
    expect(held).toEqual([[pending.state, 'access']]);
  });
});

test('an internal error ends the sign-in with a fixed text and is rethrown', async () => {
  const defect = new Error('defect');
  const { ends, complete } = world({ exchangeCode: () => Promise.reject(defect) });
  await expect(complete('code=c')).rejects.toBe(defect);
  expect(ends).toEqual(['an internal error occurred; start a new sign-in']);
});

test('a sign-in of an account whose permits are taken fails, for the browser and the poll; the vendor is not called', async () => {
  const { ends, asked, complete } = world({ vendorPermits: busyPermits(OWNER.accountId) });
  await expect(complete('code=c')).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
  expect(ends).toEqual(['too many calls of the account are in progress; start a new sign-in']);
  expect(asked).toEqual([]);
});

test('in a connect session the callback leads back to it; a refusal is a response, which the session keeps', async () => {
  const { complete, sessionErrors, ends } = world({ connectSessionId: 'cs_1' });
  expect(await complete('code=c')).toEqual({ applicationName: 'CRM', connectSessionId: 'cs_1' });
  const refusal = 'not today';
  expect(await complete(`error=access_denied&error_description=${refusal}`)).toEqual({
    applicationName: 'CRM',
    connectSessionId: 'cs_1',
    refusal,
  });
  expect(ends).toMatchObject([{ suggestedName: 'CRM 2' }, refusal]);
  const { accountId } = pending;
  expect(sessionErrors).toEqual([{ accountId, id: 'cs_1', lastError: refusal, now: NOW }]);
});
