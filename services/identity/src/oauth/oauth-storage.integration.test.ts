import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import * as client from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { FormBrowser } from '../testing/form-browser.ts';
import {
  REDIRECT_URI,
  authorize,
  beginAuthorization,
  discover,
  register,
  signInAndAllow,
  whoamiBy,
} from '../testing/oauth-client.ts';
import { startOAuthStack } from '../testing/oauth-stack.ts';
import type { OAuthStack, TestPerson } from '../testing/oauth-stack.ts';

const ctx = testContext();
let clock: ManualClock;
let stack: OAuthStack;

beforeAll(async () => {
  clock = new ManualClock(new Date());
  stack = await startOAuthStack({ mongodbUri: inject('mongodbUri'), clock });
});
afterAll(() => stack.close());

const administrator = () => ({ ...stack.owner, roles: ['owner'] as const });
const count = (collection: string, filter: Record<string, unknown>) =>
  stack.store.db.collection(collection).countDocuments(filter);

/** Every document of the database, as text. */
async function everything(): Promise<string> {
  const collections = await stack.store.db.collections();
  const texts = await Promise.all(
    collections.map(async (collection) => JSON.stringify(await collection.find().toArray())),
  );
  return texts.join('\n');
}

async function newUser(email: string, password: string): Promise<TestPerson> {
  const made = { email, role: 'admin', isActive: true, password: new Secret(password) } as const;
  const user = await stack.identity.createUser(ctx, administrator(), made);
  return { accountId: stack.owner.accountId, userId: user.id, email, password };
}

test('nothing that a client or browser holds stands in the database or the log in plain text', async () => {
  const [{ oauth, edge }] = stack.replicas;
  const { client: made, clientSecret } = await oauth.clients.create(ctx, administrator(), {
    name: 'Confidential',
    redirectUris: [REDIRECT_URI],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes: ['tools.read'],
  });
  const config = await discover(stack, made.id, { secret: clientSecret.reveal() });
  const { browser, verifier, state } = await beginAuthorization(config);
  const answer = await signInAndAllow(browser, stack.owner);
  // Half-way through another sign-in, whose interaction names the session.
  await beginAuthorization(config, { prompt: 'login' }, browser);
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  const tokens = await client.authorizationCodeGrant(config, answer, checks);
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  const own = await client.clientCredentialsGrant(config);
  await client.tokenIntrospection(config, refreshed.access_token);
  await client.tokenRevocation(config, own.access_token);
  // Refused, so that there is something to log.
  const wrong = client.refreshTokenGrant(config, `${refreshed.refresh_token ?? ''}x`);
  await expect(wrong).rejects.toMatchObject({ error: 'invalid_grant' });

  const cli = await discover(stack, 'fairlead-cli');
  const device = await client.initiateDeviceAuthorization(cli, {});
  const page = new FormBrowser({ stopAt: () => false });
  await page.open(device.verification_uri_complete ?? '');
  await page.press('Continue');

  const cookies = [...browser.setCookies, ...page.setCookies].map(
    (line) => /^[^=]+=([^;]*)/.exec(line)?.[1] ?? '',
  );
  const secrets = [
    clientSecret.reveal(),
    answer.searchParams.get('code') ?? '',
    verifier,
    ...[tokens, refreshed, own].flatMap(({ access_token, refresh_token = access_token }) => [
      access_token,
      refresh_token,
    ]),
    device.device_code,
    device.user_code,
    device.user_code.replace('-', ''),
    stack.owner.password,
    ...cookies,
  ].filter((secret) => secret.length > 0);
  expect(secrets.length).toBeGreaterThan(15);
  const [documents, lines] = [await everything(), JSON.stringify(edge.lines)];
  expect(documents).toContain(made.id);
  for (const secret of secrets) {
    expect(documents.includes(secret)).toBe(false);
    expect(lines.includes(secret)).toBe(false);
    expect(documents.includes(Buffer.from(secret).toString('base64url'))).toBe(false);
  }
});

describe('erasure', () => {
  let config: client.Configuration;
  beforeEach(async () => {
    config = await register(stack);
  });

  test('of a user: grants, tokens and sessions go, and what acted as the user stops; others keep theirs', async () => {
    const [{ oauth, url }] = stack.replicas;
    const kept = await authorize(config, stack.owner);
    const person = await newUser('leaving@one.example', 'leaving the company');
    const lost = await authorize(config, person);
    const { client: made, clientSecret } = await oauth.clients.create(ctx, administrator(), {
      name: 'Robot',
      redirectUris: [],
      grantTypes: ['client_credentials'],
      scopes: ['tools.read'],
      userId: person.userId,
    });
    const robot = await discover(stack, made.id, { secret: clientSecret.reveal() });
    const own = await client.clientCredentialsGrant(robot);
    for (const { access_token } of [kept, lost, own])
      expect((await whoamiBy(access_token, url)).status).toBe(200);

    await oauth.eraseOAuthOf({ userId: person.userId });
    expect(await everything()).not.toMatch(new RegExp(`"userId":"${person.userId}"`));
    expect((await whoamiBy(lost.access_token, url)).status).toBe(401);
    expect((await whoamiBy(own.access_token, url)).status).toBe(401);
    await expect(client.refreshTokenGrant(config, lost.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect((await whoamiBy(kept.access_token, url)).status).toBe(200);
    await oauth.eraseOAuthOf({ userId: person.userId });
  });

  test('of an account: everything of it goes; another account keeps what it has', async () => {
    const [{ oauth, url }] = stack.replicas;
    const { account, owner } = await stack.identity.createAccountWithOwner(ctx, {
      name: 'Gone',
      ownerEmail: 'owner@gone.example',
      ownerPassword: new Secret('a password to forget'),
    });
    const person = {
      accountId: account.id,
      userId: owner.id,
      email: owner.email,
      password: 'a password to forget',
    };
    const lost = await authorize(config, person);
    const kept = await authorize(config, stack.owner);
    await oauth.clients.create(
      ctx,
      { ...person, roles: ['owner'] },
      { name: 'Robot', redirectUris: [], grantTypes: ['client_credentials'], scopes: ['tools.read'] },
    );
    await oauth.eraseOAuthOf({ accountId: account.id });
    for (const name of ['oauth_grants', 'oauth_artifacts', 'oauth_clients']) {
      expect(await count(name, { accountId: account.id })).toBe(0);
    }
    expect((await whoamiBy(lost.access_token, url)).status).toBe(401);
    expect((await whoamiBy(kept.access_token, url)).status).toBe(200);
  });
});

describe('clients', () => {
  test('of an account that are deleted take everything along that they were granted', async () => {
    const [{ oauth, url }] = stack.replicas;
    const { client: made, clientSecret } = await oauth.clients.create(ctx, administrator(), {
      name: 'Short-lived',
      redirectUris: [REDIRECT_URI],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes: ['tools.read'],
    });
    const config = await discover(stack, made.id, { secret: clientSecret.reveal() });
    const tokens = [await authorize(config, stack.owner), await client.clientCredentialsGrant(config)];
    for (const { access_token } of tokens) expect((await whoamiBy(access_token, url)).status).toBe(200);
    await expect(oauth.clients.remove(ctx, 'acc_other', made.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await oauth.clients.remove(ctx, stack.owner.accountId, made.id);
    for (const { access_token } of tokens) expect((await whoamiBy(access_token, url)).status).toBe(401);
    expect(await count('oauth_grants', { clientId: made.id })).toBe(0);
    await expect(oauth.clients.remove(ctx, stack.owner.accountId, made.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('that registered themselves go after a day, unless they were granted something', async () => {
    const [unused, used] = [await register(stack), await register(stack)];
    await authorize(used, stack.owner);
    const find = (config: client.Configuration) =>
      stack.store.db
        .collection<{ readonly _id: string; readonly expiresAt: Date }>('oauth_clients')
        .findOne({ _id: config.clientMetadata().client_id });
    const day = clock.now().getTime() + 24 * 60 * 60_000;
    expect((await find(unused))?.expiresAt.getTime()).toBeLessThanOrEqual(day);
    expect((await find(used))?.expiresAt.getTime()).toBeGreaterThan(day);
    clock.advance(25 * 60 * 60_000);
    // Before MongoDB gets to delete it, too.
    const { browser } = await beginAuthorization(unused);
    expect(browser.page.status).toBe(400);
    expect((await beginAuthorization(used)).browser.page.status).toBe(200);
  });
});

test('an interaction is over when its time is, before MongoDB deletes it', async () => {
  const { browser } = await beginAuthorization(await register(stack));
  clock.advance(60 * 60_000);
  await browser.press('Sign in', { email: stack.owner.email, password: stack.owner.password });
  expect(browser.page.status).toBe(400);
});

test('a browser without a sign-in leaves nothing behind for longer than an hour', async () => {
  const response = await fetch(`${stack.publicUrl}/oauth/device`);
  const [session = ''] = response.headers.getSetCookie();
  const [, expires = ''] = /expires=([^;]+)/.exec(session) ?? [];
  expect(new Date(expires).getTime() - Date.now()).toBeLessThanOrEqual(60 * 60_000);
  expect(new Date(expires).getTime() - Date.now()).toBeGreaterThan(50 * 60_000);
});
