import { TokenError } from '@fairlead/connector-runtime/token-client';
import type { TokenClient } from '@fairlead/connector-runtime/token-client';
import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testContext } from '@fairlead/service-kit/testing/context';
import { beforeEach, expect, test } from 'vitest';
import type { AuthProviderWithSecrets } from '../domain/auth-provider.ts';
import type { ConnectionWithCredential } from '../ports/credential-store.ts';
import {
  connection,
  connectorHead,
  field,
  heldProviders,
  NOW,
  oauth2Scheme,
  oauthMethod,
  openedProvider,
  OWNER,
  tokens,
} from '../testing/builders.ts';
import { revokeGrant } from './revoke-grant.ts';

const { log, lines } = captureLog();
const ctx = testContext({ ...OWNER, log });
const { accountId } = OWNER;
const due = { _id: 7, accountId, attempts: 0, requestedAt: NOW };
const revocation = {
  url: 'https://vendor.example/revoke',
  method: 'POST',
  format: 'form',
  clientAuthentication: null,
  token: 'refreshToken',
  tokenParameter: 'token',
  sendsAccessToken: false,
  scope: 'grant',
  parameters: {},
} as const;
const revocable = oauthMethod({ scheme: oauth2Scheme({ revocation }) });

let asked: Parameters<TokenClient['revokeToken']>[1][];
let removed: number[];
beforeEach(() => {
  [asked, removed] = [[], []];
});

function deps(
  o: {
    method?: AuthenticationMethod;
    opened?: ConnectionWithCredential | null;
    now?: Date;
    answer?: () => Promise<'revoked'>;
    getConnector?: () => Promise<never>;
    hasSibling?: boolean;
    retired?: AuthProviderWithSecrets;
  } = {},
) {
  const opened = { connection: connection(), credential: { secretFields: new Secret({}), tokens: tokens() } };
  const head = connectorHead({ authenticationMethods: [o.method ?? revocable] });
  return {
    catalog: { getConnector: o.getConnector ?? (() => Promise.resolve(head)) },
    ownClients: { find: () => ({ clientId: 'id', clientSecret: 'client-s3cr3t' }) },
    authProviders: heldProviders(undefined, o.retired),
    revocations: {
      open: () => Promise.resolve(o.opened === null ? undefined : (o.opened ?? opened)),
      hasSibling: () => Promise.resolve(o.hasSibling === true),
      remove: (_ctx: unknown, _accountId: string, id: number) => {
        removed.push(id);
        return Promise.resolve();
      },
    },
    tokenClient: {
      revokeToken: (_scheme: unknown, call: (typeof asked)[number]) => {
        asked.push(call);
        return (o.answer ?? (() => Promise.resolve('revoked' as const)))();
      },
    },
    clock: new ManualClock(o.now ?? NOW),
  };
}

test('the vendor is asked by the client that the grant belongs to, and the tokens are removed', async () => {
  expect(await revokeGrant(deps(), ctx, due)).toBeUndefined();
  expect(asked).toMatchObject([
    {
      accountId,
      client: { clientId: 'id', clientSecret: 'client-s3cr3t' },
      tokens: { accessToken: 'access', refreshToken: 'refresh' },
    },
  ]);
  expect(removed).toEqual([7]);
});

test('a vendor that cannot revoke is not asked', async () => {
  expect(await revokeGrant(deps({ method: oauthMethod() }), ctx, due)).toBeUndefined();
  expect([asked, removed]).toEqual([[], [7]]);
});

test('an application that is gone cannot say how, so that its grants are not kept for a day', async () => {
  const getConnector = () => Promise.reject(new ApiError('NOT_FOUND', 'gone'));
  expect(await revokeGrant(deps({ getConnector }), ctx, due)).toBeUndefined();
  expect([asked, removed]).toEqual([[], [7]]);
});

test('where the vendor would end all that the person granted, it is not asked while they have another connection', async () => {
  const method = oauthMethod({ scheme: oauth2Scheme({ revocation: { ...revocation, scope: 'consent' } }) });
  expect(await revokeGrant(deps({ method, hasSibling: true }), ctx, due)).toBeUndefined();
  expect([asked, removed]).toEqual([[], [7]]);
  await revokeGrant(deps({ method }), ctx, due);
  await revokeGrant(deps({ hasSibling: true }), ctx, due);
  expect(asked).toHaveLength(2);
});

test('an auth provider that was deleted meanwhile still revokes its grants, at the address where they were made', async () => {
  const retired = openedProvider({ values: { Key1: 'theirs' } });
  const fields = [
    field('clientId', { isRequired: true, providerSlot: 'Key1' }),
    field('clientSecret', { isPassword: true, providerSlot: 'Key2' }),
  ];
  const method = oauthMethod({ fields, scheme: oauth2Scheme({ revocation, allowsAuthProvider: true }) });
  const opened = {
    connection: connection({ authProviderId: retired.provider.id }),
    credential: { secretFields: new Secret({}), tokens: tokens() },
  };
  await revokeGrant(deps({ method, opened, retired }), ctx, due);
  expect(asked).toMatchObject([{ client: { clientId: 'theirs', clientSecret: 'provider-s3cr3t' } }]);
  const { provider, secrets } = retired;
  const moved = { provider: { ...provider, addressRevision: 'moved' }, secrets };
  await revokeGrant(deps({ method, opened, retired: moved }), ctx, due);
  expect([asked.length, removed]).toEqual([1, [7, 7]]);
});

test('a grant that is gone already is nothing to revoke', async () => {
  expect(await revokeGrant(deps({ opened: null }), ctx, due)).toBeUndefined();
  expect([asked, removed]).toEqual([[], []]);
});

test.each([
  ['a vendor that is away', { answer: () => Promise.reject(new TokenError('unavailable', 'down')) }],
  ['a refused client', { answer: () => Promise.reject(new TokenError('refused', 'no')) }],
  ['a catalogue that is away', { getConnector: () => Promise.reject(new ApiError('UNAVAILABLE', 'away')) }],
])('with %s it is tried again, later each time', async (_name, failing) => {
  expect(await revokeGrant(deps(failing), ctx, due)).toEqual({
    at: new Date(NOW.getTime() + 60_000),
    set: { attempts: 1 },
  });
  expect(await revokeGrant(deps(failing), ctx, { ...due, attempts: 1 })).toEqual({
    at: new Date(NOW.getTime() + 300_000),
    set: { attempts: 2 },
  });
  expect(removed).toEqual([]);
});

test('after a day it is given up with a log line without secrets, and the tokens are removed', async () => {
  const answer = () => Promise.reject(new TokenError('unavailable', 'down, said refresh and client-s3cr3t'));
  const now = new Date(NOW.getTime() + 24 * 3_600_000);
  expect(await revokeGrant(deps({ answer, now }), ctx, { ...due, attempts: 20 })).toBeUndefined();
  expect(removed).toEqual([7]);
  expect(lines()).toMatchObject([
    {
      level: 'warn',
      msg: 'gave up revoking the grant of a deleted connection',
      connectionId: 7,
      reason: 'down, said *** and ***',
    },
  ]);
});

test('an unexpected error is left to the sweep', async () => {
  const failure = new Error('defect');
  await expect(revokeGrant(deps({ answer: () => Promise.reject(failure) }), ctx, due)).rejects.toBe(failure);
  expect(removed).toEqual([]);
});
