import { createHash } from 'node:crypto';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { signInAddresses } from '../domain/sign-in-addresses.ts';
import type { Connection } from '../domain/connection.ts';
import type { RedeemableSignIn } from '../domain/sign-in.ts';
import {
  connection,
  connectorHead,
  NOW,
  OWNER,
  heldProviders,
  registeredClients,
} from '../testing/builders.ts';
import { startSignIn } from './start-sign-in.ts';

const ctx = testContext(OWNER);
const ISSUER = { url: 'https://vendor.example', isRequired: true };
const client = { clientId: 'id', clientSecret: 's3cr3t' };
/** Only sign-ins for MCP servers make calls. */
const unused = new Error('not for this application');

function world(o: { readonly hasClient?: boolean; readonly known?: Connection } = {}) {
  const stored: RedeemableSignIn[] = [];
  const asked: { state: string; redirectUri: string; codeChallenge: string; scopes: readonly string[] }[] =
    [];
  const deps = {
    catalog: { getConnector: () => Promise.resolve(connectorHead()) },
    connections: { find: () => Promise.resolve(o.known) },
    authProviders: heldProviders(),
    registeredClients: registeredClients(),
    mcpSignIns: { discover: () => Promise.reject(unused), register: () => Promise.reject(unused) },
    vendorPermits: onePermit(),
    ownClients: { find: () => (o.hasClient === false ? undefined : client) },
    tokenClient: {
      exchangeCode: () => Promise.reject(unused),
      authorizationUrl: (
        { scopes }: { readonly scopes: readonly string[] },
        options: Omit<(typeof asked)[number], 'scopes'>,
      ) => {
        asked.push({ ...options, scopes });
        return 'https://vendor.example/auth';
      },
      expectedIssuer: () => ISSUER,
    },
    signIns: {
      insert: (_ctx: unknown, signIn: RedeemableSignIn) => {
        stored.push(signIn);
        return Promise.resolve();
      },
    },
    addresses: signInAddresses('https://api.example'),
    clock: new ManualClock(NOW),
  };
  return { deps, stored, asked };
}

const byOAuth = {
  applicationSlug: 'crm',
  authenticationId: 0,
  provider: { kind: 'default' },
  fields: {},
} as const;

test('a sign-in of the person is stored for 300 s, with the verifier of the challenge that the vendor sees', async () => {
  const { deps, stored, asked } = world();
  const { signInUrl, state } = await startSignIn(deps, ctx, byOAuth);
  expect(signInUrl).toBe(`https://api.example/connect/start/${state}`);
  expect(stored).toMatchObject([
    {
      ...OWNER,
      state,
      applicationSlug: 'crm',
      authenticationId: 0,
      authorizeUrl: 'https://vendor.example/auth',
      isPushed: false,
      issuer: ISSUER,
      createdAt: NOW,
      expiresAt: new Date(NOW.getTime() + 300_000),
    },
  ]);
  const verifier = stored[0]?.codeVerifier.reveal() ?? '';
  expect(verifier).toHaveLength(43);
  expect(asked).toMatchObject([
    {
      state,
      redirectUri: 'https://api.example/connect/callback',
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
    },
  ]);
  const second = await startSignIn(deps, ctx, byOAuth);
  expect(second.state).not.toBe(state);
  expect(stored[1]?.codeVerifier.reveal()).not.toBe(verifier);
});

test('a re-authentication asks for the scopes that calls of the connection lacked', async () => {
  const known = connection({ id: 7, authenticationId: 0, neededScopes: ['write', 'read'] });
  const { deps, stored, asked } = world({ known });
  await startSignIn(deps, ctx, { ...byOAuth, connectionId: 7 });
  await startSignIn(deps, ctx, byOAuth);
  expect(stored.map(({ scopes }) => scopes)).toEqual([['write', 'read'], []]);
  expect(asked.map(({ scopes }) => scopes)).toEqual([['write', 'read'], []]);
});

test.each([
  ['an unknown connection', undefined, 'NOT_FOUND'],
  [
    'a connection of another application',
    connection({ applicationSlug: 'other', authenticationId: 0 }),
    'VALIDATION_ERROR',
  ],
  ['a connection of another method', connection({ authenticationId: 1 }), 'VALIDATION_ERROR'],
])('the re-authentication of %s is refused', async (_name, known, code) => {
  const { deps, stored } = world(known && { known });
  await expect(startSignIn(deps, ctx, { ...byOAuth, connectionId: 7 })).rejects.toMatchObject({ code });
  expect(stored).toEqual([]);
});

test.each([
  ['a method without a sign-in', { ...byOAuth, authenticationId: 1 }, {}, 'VALIDATION_ERROR'],
  ['an unknown method', { ...byOAuth, authenticationId: 9 }, {}, 'VALIDATION_ERROR'],
  ['no OAuth client', byOAuth, { hasClient: false }, 'INVALID_AUTH_PROVIDER'],
  [
    'an auth provider',
    { ...byOAuth, provider: { kind: 'provider', by: { id: 9 } } as const },
    {},
    'NOT_FOUND',
  ],
])('%s is refused and nothing is stored', async (_name, command, o, code) => {
  const { deps, stored } = world(o);
  await expect(startSignIn(deps, ctx, command)).rejects.toMatchObject({ code });
  expect(stored).toEqual([]);
});
