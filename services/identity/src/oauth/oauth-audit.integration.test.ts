import { AuditActorKind } from '@fairlead/contracts/common/v1/audit_events_pb';
import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import { ManualClock } from '@fairlead/service-kit/clock';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { DEFAULT_SCOPES } from '@fairlead/access/scopes';
import { oauthClientCollection } from '../storage/oauth-client.collection.ts';
import { oauthGrantCollection } from '../storage/oauth-grant.collection.ts';
import {
  REDIRECT_URI,
  authorize,
  startAuthorization,
  discover,
  register,
  signInAndAllow,
} from '../testing/oauth-client.ts';
import { startOAuthStack } from '../testing/oauth-stack.ts';
import type { OAuthStack, TestReplica } from '../testing/oauth-stack.ts';

const REQUEST_ID = /^[\w-]{36}$/;
const UNEXPECTED_STATUS = 'unexpected HTTP response status code';

const clock = new ManualClock(new Date());
let stack: OAuthStack;
let one: TestReplica;
let two: TestReplica;

beforeAll(async () => {
  const stores = { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') };
  stack = await startOAuthStack(stores, { count: 2, clock });
  const [first, second] = stack.replicas;
  if (second === undefined) throw new Error('There is one replica only.');
  [one, two] = [first, second];
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.store.collection(changeCollection).deleteMany({});
});

const clientIdOf = (config: client.Configuration) => config.clientMetadata().client_id;
const grantIdOf = (token: string) => String(decodeJwt(token)['grant_id']);

describe('for the audit log is recorded', () => {
  test('that a client registered itself, for the platform', async () => {
    const config = await register(stack);
    expect(await stack.auditEvents()).toMatchObject([
      {
        accountId: '',
        occurredAt: clock.now(),
        actorKind: AuditActorKind.SYSTEM,
        userId: '',
        action: 'oauth.clientRegistered',
        resourceType: 'oauthClient',
        resourceId: clientIdOf(config),
        requestId: expect.stringMatching(REQUEST_ID) as unknown,
        details: { redirectUris: [REDIRECT_URI] },
      },
    ]);
  });

  test('a consent, with what was granted', async () => {
    const config = await register(stack);
    const { access_token: token } = await authorize(config, stack.owner);
    expect((await stack.auditEvents()).slice(1)).toMatchObject([
      {
        accountId: stack.owner.accountId,
        occurredAt: clock.now(),
        actorKind: AuditActorKind.USER,
        userId: stack.owner.userId,
        action: 'oauth.consentGranted',
        resourceType: 'oauthGrant',
        resourceId: grantIdOf(token),
        requestId: expect.stringMatching(REQUEST_ID) as unknown,
        details: { clientId: clientIdOf(config), scopes: DEFAULT_SCOPES },
      },
    ]);
  });

  test('the request that it happened in', async () => {
    const response = await fetch(`${one.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'req-of-the-gateway' },
      body: JSON.stringify({ redirect_uris: [REDIRECT_URI] }),
    });
    expect(response.status).toBe(201);
    expect(await stack.auditEvents()).toMatchObject([{ requestId: 'req-of-the-gateway' }]);
  });

  test('that a client gave up a grant', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner);
    await client.tokenRevocation(config, tokens.refresh_token ?? '');
    // There is no grant left to end.
    await client.tokenRevocation(config, tokens.refresh_token ?? '');
    expect((await stack.auditEvents()).slice(2)).toMatchObject([
      {
        accountId: stack.owner.accountId,
        actorKind: AuditActorKind.USER,
        userId: stack.owner.userId,
        action: 'oauth.grantRevoked',
        resourceType: 'oauthGrant',
        resourceId: grantIdOf(tokens.access_token),
        requestId: expect.stringMatching(REQUEST_ID) as unknown,
        details: { clientId: clientIdOf(config), userId: stack.owner.userId },
      },
    ]);
  });

  test('a reuse, once, although two replicas detect it at once', async () => {
    const config = await register(stack);
    const elsewhere = await discover(stack, clientIdOf(config), { through: two.url });
    const tokens = await authorize(config, stack.owner);
    const refreshToken = tokens.refresh_token ?? '';
    await client.refreshTokenGrant(config, refreshToken);
    clock.advance(30_000);
    const reuses = [config, elsewhere, config, elsewhere].map((by) =>
      client.refreshTokenGrant(by, refreshToken),
    );
    const results = await Promise.allSettled(reuses);
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'rejected'));
    expect((await stack.auditEvents()).slice(2)).toMatchObject([
      {
        accountId: stack.owner.accountId,
        actorKind: AuditActorKind.SYSTEM,
        userId: '',
        action: 'oauth.reuseDetected',
        resourceType: 'oauthGrant',
        resourceId: grantIdOf(tokens.access_token),
        details: { clientId: clientIdOf(config), userId: stack.owner.userId },
      },
    ]);
  });
});

/** Makes the database refuse every change record while `work` runs. */
async function withoutRecords<R>(work: () => Promise<R>): Promise<R> {
  const { db } = stack.store;
  const collMod = changeCollection.name;
  await db.command({ collMod, validator: { isNever: { $exists: true } } });
  try {
    return await work();
  } finally {
    await db.command({ collMod, validator: {} });
  }
}

describe('what cannot be recorded does not happen', () => {
  const grantsOf = (clientId: string) =>
    stack.store.collection(oauthGrantCollection).countDocuments({ clientId });

  test('a consent is refused, and nothing is granted; it can be given again later', async () => {
    const config = await register(stack);
    const { browser } = await startAuthorization(config);
    const { email, password } = stack.owner;
    await browser.press('Sign in', { email, password });
    const page = browser.page;
    expect(await withoutRecords(() => browser.press('Allow'))).toBeUndefined();
    expect(browser.page.status).toBe(500);
    expect(await grantsOf(clientIdOf(config))).toBe(0);
    await browser.open(page.url);
    expect((await browser.press('Allow'))?.searchParams.has('code')).toBe(true);
    expect(await grantsOf(clientIdOf(config))).toBe(1);
  });

  test('a client is not registered', async () => {
    const clients = stack.store.collection(oauthClientCollection);
    const before = await clients.countDocuments();
    await withoutRecords(() => expect(register(stack)).rejects.toThrow(UNEXPECTED_STATUS));
    expect(await clients.countDocuments()).toBe(before);
  });

  test('a grant does not end, and its client is told to try again', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner);
    const refreshToken = tokens.refresh_token ?? '';
    await withoutRecords(() =>
      expect(client.tokenRevocation(config, refreshToken)).rejects.toThrow(UNEXPECTED_STATUS),
    );
    expect(await one.ownerOf(tokens.access_token)).toBeDefined();
    await client.tokenRevocation(config, refreshToken);
    expect(await one.ownerOf(tokens.access_token)).toBeUndefined();
  });
});

test('a reuse that cannot be recorded is detected again, and ends the family then', async () => {
  const config = await register(stack);
  const first = await authorize(config, stack.owner);
  const second = await client.refreshTokenGrant(config, first.refresh_token ?? '');
  clock.advance(30_000);
  const reuse = () => client.refreshTokenGrant(config, first.refresh_token ?? '');
  await withoutRecords(() => expect(reuse()).rejects.toThrow(UNEXPECTED_STATUS));
  await expect(reuse()).rejects.toMatchObject({ error: 'invalid_grant' });
  expect(await one.ownerOf(second.access_token)).toBeUndefined();
});

test('a consent that is given while the account is being closed grants nothing', async () => {
  const config = await register(stack);
  const { browser } = await startAuthorization(config);
  await signInAndAllow(browser, stack.owner);
  const again = await startAuthorization(config, {}, browser);
  await one.call('OperatorService/CloseAccount', { accountId: stack.owner.accountId });
  expect(await again.browser.press('Allow')).toBeUndefined();
  expect(
    await stack.store.collection(oauthGrantCollection).countDocuments({ clientId: clientIdOf(config) }),
  ).toBe(1);
});
