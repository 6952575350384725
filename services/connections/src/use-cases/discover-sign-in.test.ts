import type { McpAuthorizationServer } from '@fairlead/connector-runtime/mcp-oauth/authorization-server';
import type { RegisteredClient } from '@fairlead/connector-runtime/mcp-oauth/client-registration';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { busyPermits, onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { signInAddresses } from '../domain/sign-in-addresses.ts';
import {
  field,
  heldProviders,
  NOW,
  oauth2Scheme,
  oauthMethod,
  openedProvider,
  OWNER,
} from '../testing/builders.ts';
import { discoverSignIn } from './discover-sign-in.ts';

const found: McpAuthorizationServer = {
  issuer: 'https://login.example/',
  authorizationUrl: 'https://login.example/authorize',
  tokenUrl: 'https://login.example/token',
  registrationUrl: 'https://login.example/register',
  revocationUrl: null,
  statesIssuer: true,
  takesClientDocuments: false,
  clientAuthentications: ['client_secret_basic'],
  resource: 'https://mcp.example/mcp',
  scopes: ['files:read'],
};
const registered: RegisteredClient = {
  clientId: 'registered',
  clientSecret: 'r-s3cr3t',
  clientAuthentication: 'basic',
  expiresAt: null,
};
const method = oauthMethod({
  authenticationId: 2,
  fields: [
    field('clientId', { isRequired: true, providerSlot: 'Key1' }),
    field('clientSecret', { isPassword: true, providerSlot: 'Key2' }),
    field('issuer', { isRequired: true, providerSlot: 'BaseUrl' }),
  ],
  scheme: oauth2Scheme({ allowsAuthProvider: true }),
});
const provider = (issuer: string) =>
  openedProvider({
    applicationSlug: 'mcp',
    authenticationId: 2,
    isDefault: true,
    values: { Key1: 'ours', BaseUrl: issuer },
  });

const LONG_AGO = new Date(0);

function discover(
  o: {
    readonly server?: Partial<McpAuthorizationServer>;
    readonly publicUrl?: string;
    readonly kept?: RegisteredClient;
    readonly savedAt?: Date;
    readonly probe?: Error;
    readonly provider?: ReturnType<typeof provider>;
    readonly isChosen?: boolean;
    readonly failure?: Error;
    readonly isBusy?: boolean;
  } = {},
) {
  const done: string[] = [];
  const redirectUris: string[] = [];
  const deps = {
    mcpSignIns: {
      discover: () => (o.failure ? Promise.reject(o.failure) : Promise.resolve({ ...found, ...o.server })),
      register: (_server: unknown, redirectUri: string) => {
        redirectUris.push(redirectUri);
        done.push('registered');
        return Promise.resolve(registered);
      },
    },
    registeredClients: {
      find: () => Promise.resolve(o.kept && { ...o.kept, savedAt: o.savedAt ?? LONG_AGO }),
      save: (_ctx: unknown, accountId: string, { issuer }: { issuer: string }) => {
        done.push(`saved for ${accountId} at ${issuer}`);
        return Promise.resolve();
      },
    },
    tokenClient: {
      exchangeCode: () => {
        done.push('asked');
        return Promise.reject(o.probe ?? new TokenError('refused', 'no', { code: 'invalid_grant' }));
      },
    },
    vendorPermits: o.isBusy === true ? busyPermits(OWNER.accountId) : onePermit(),
    authProviders: heldProviders(o.provider),
    ownClients: { find: () => ({ clientId: 'operator', clientSecret: 'must not be sent anywhere' }) },
    addresses: signInAddresses(o.publicUrl ?? 'https://api.example'),
    clock: new ManualClock(NOW),
  };
  const ctx = testContext({ ...OWNER, permissions: ['authProviders.use'] });
  const choice =
    o.isChosen === true ? ({ kind: 'provider', by: { id: 3 } } as const) : ({ kind: 'default' } as const);
  return {
    done,
    redirectUris,
    result: discoverSignIn(deps, ctx, method, new URL('https://mcp.example/mcp'), choice),
  };
}

test('an auth provider for the issuer comes first, then the document, then a registration', async () => {
  const documents = { takesClientDocuments: true };
  const byProvider = discover({ server: documents, provider: provider('https://login.example') });
  expect(await byProvider.result).toMatchObject({
    server: { clientId: 'ours', clientAuthentication: 'basic' },
    client: { authProviderId: 3, secrets: ['provider-s3cr3t'] },
  });
  const byDocument = discover({ server: documents, kept: registered });
  expect(await byDocument.result).toMatchObject({
    server: { clientId: 'https://api.example/connect/client.json', clientAuthentication: 'none' },
    client: { authProviderId: 0, secrets: [''] },
  });
  const byRegistration = discover();
  expect(await byRegistration.result).toMatchObject({
    server: { clientId: 'registered', serverUrl: 'https://mcp.example/mcp', resource: found.resource },
    client: { authProviderId: 0, secrets: ['r-s3cr3t'] },
  });
  expect(byProvider.done).toEqual([]);
  expect(byDocument.done).toEqual([]);
  expect(byRegistration.done).toEqual(['registered', `saved for acc_1 at ${found.issuer}`]);
});

test('each authorization server has a redirect URI of its own; people register one for auth providers', async () => {
  const addresses = signInAddresses('https://api.example');
  const one = discover();
  expect((await one.result).redirectUri).toBe(addresses.redirectUriAt(found.issuer));
  expect(one.redirectUris).toEqual([addresses.redirectUriAt(found.issuer)]);
  const other = discover({ server: { issuer: 'https://other.example' }, kept: registered });
  expect((await other.result).redirectUri).toBe(addresses.redirectUriAt('https://other.example'));
  expect(addresses.redirectUriAt('https://other.example')).not.toBe(addresses.redirectUriAt(found.issuer));
  const byProvider = discover({ provider: provider('https://login.example') });
  expect((await byProvider.result).redirectUri).toBe('https://api.example/connect/callback');
});

test('the document, which every server takes, is used only where each response names its issuer', async () => {
  const named = await discover({ server: { takesClientDocuments: true } }).result;
  expect(named.redirectUri).toBe('https://api.example/connect/callback/client');
  const silent = { takesClientDocuments: true, statesIssuer: false };
  expect((await discover({ server: silent }).result).server.clientId).toBe('registered');
});

test('servers could not read the document of an installation on this computer', async () => {
  const { done, result } = discover({
    server: { takesClientDocuments: true },
    publicUrl: 'http://127.0.0.1:8080',
  });
  expect((await result).server.clientId).toBe('registered');
  expect(done).toContain('registered');
});

test.each([
  ['used again where it is known', new TokenError('refused', 'no', { code: 'invalid_grant' }), ['asked']],
  ['used again where the server is silent', new TokenError('unavailable', 'down'), ['asked']],
  [
    'replaced where the server has forgotten it',
    new TokenError('refused', 'no', { code: 'invalid_client' }),
    ['asked', 'registered', `saved for acc_1 at ${found.issuer}`],
  ],
])('a registered client is %s', async (_what, probe, steps) => {
  const { done, result } = discover({ kept: registered, probe });
  await result;
  expect(done).toEqual(steps);
});

test('an auth provider’s secret goes to no other issuer: a default is passed over, a choice refused', async () => {
  const foreign = provider('https://other.example');
  expect((await discover({ provider: foreign }).result).server.clientId).toBe('registered');
  await expect(discover({ provider: foreign, isChosen: true }).result).rejects.toMatchObject({
    code: 'INVALID_AUTH_PROVIDER',
  });
});

test('a server that cannot be signed in at is a fault of its address; too many calls are not', async () => {
  await expect(
    discover({ failure: new CallFailure('The issuer must be an https URL.') }).result,
  ).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'fields.serverUrl', issue: 'The issuer must be an https URL.' }],
  });
  await expect(discover({ isBusy: true }).result).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
});

test('a client that was registered just now is used again without asking for it', async () => {
  const { result, done } = discover({ kept: registered, savedAt: NOW });
  expect(await result).toMatchObject({ server: { clientId: 'registered' } });
  expect(done).toEqual([]);
});
