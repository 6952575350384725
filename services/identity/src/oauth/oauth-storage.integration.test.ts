import { ManualClock } from '@fairlead/service-kit/clock';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { FormBrowser } from '../testing/form-browser.ts';
import {
  REDIRECT_URI,
  authorize,
  startAuthorization,
  discover,
  register,
  signInAndAllow,
} from '../testing/oauth-client.ts';
import { newClient, startOAuthStack } from '../testing/oauth-stack.ts';
import type { OAuthStack } from '../testing/oauth-stack.ts';
import { contextOf } from '../testing/context-of.ts';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { createAccount } from '../use-cases/create-account.ts';
import { deleteOAuthClient } from '../use-cases/delete-oauth-client.ts';

let clock: ManualClock;
let stack: OAuthStack;

beforeAll(async () => {
  clock = new ManualClock(new Date());
  stack = await startOAuthStack({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') }, { clock });
});
afterAll(() => stack.close());

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

test('nothing that a client or browser holds stands in the database or the log in plain text', async () => {
  const made = await newClient(stack, {
    redirectUris: [REDIRECT_URI],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  });
  const config = await discover(stack, made.id, { secret: made.secret });
  const { browser, verifier, state } = await startAuthorization(config);
  const answer = await signInAndAllow(browser, stack.owner);
  // The first half of another sign-in, whose interaction names the session.
  await startAuthorization(config, { prompt: 'login' }, browser);
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  const tokens = await client.authorizationCodeGrant(config, answer, checks);
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  const own = await client.clientCredentialsGrant(config);
  await client.tokenIntrospection(config, refreshed.access_token);
  await client.tokenRevocation(config, own.access_token);
  // Refused, so that something is logged.
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
    made.secret,
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
  const [documents, lines] = [await everything(), stack.logged()];
  expect(documents).toContain(made.id);
  expect(lines).toContain('the authorization server refused');
  for (const secret of secrets) {
    expect(documents.includes(secret)).toBe(false);
    expect(lines.includes(secret)).toBe(false);
    expect(documents.includes(Buffer.from(secret).toString('base64url'))).toBe(false);
  }
});

describe('clients', () => {
  test('of an account that are deleted take everything along that they were granted', async () => {
    const made = await newClient(stack, {
      redirectUris: [REDIRECT_URI],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    });
    const config = await discover(stack, made.id, { secret: made.secret });
    const [replica] = stack.replicas;
    const granted = await authorize(config, stack.owner);
    const tokens = [granted, await client.clientCredentialsGrant(config)];
    const grantId = decodeJwt(granted.access_token)['grant_id'];
    expect(await count('oauth_artifacts', { grantId })).toBeGreaterThan(0);
    for (const { access_token } of tokens) expect(await replica.ownerOf(access_token)).toBeDefined();
    const other = await createAccount(stack.deps, platformContext, { name: 'Other' });
    const stranger = contextOf({ accountId: other.account.id, userId: other.owner.id });
    await expect(deleteOAuthClient(stack.deps, stranger, made.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await deleteOAuthClient(stack.deps, contextOf(stack.owner), made.id);
    for (const { access_token } of tokens) expect(await replica.ownerOf(access_token)).toBeUndefined();
    expect(await count('oauth_grants', { clientId: made.id })).toBe(0);
    expect(await count('oauth_artifacts', { grantId })).toBe(0);
    await expect(deleteOAuthClient(stack.deps, contextOf(stack.owner), made.id)).rejects.toMatchObject({
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
    // Also before MongoDB deletes the expired one.
    const { browser } = await startAuthorization(unused);
    expect(browser.page.status).toBe(400);
    expect((await startAuthorization(used)).browser.page.status).toBe(200);
  });
});

test('an interaction is over when its time is, before MongoDB deletes it', async () => {
  const { browser } = await startAuthorization(await register(stack));
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
