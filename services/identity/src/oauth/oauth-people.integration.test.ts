import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { openLink } from '@fairlead/service-kit/testing/network';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { oauthArtifactCollection } from '../storage/oauth-artifact.collection.ts';
import { FormBrowser } from '../testing/form-browser.ts';
import {
  REDIRECT_URI,
  authorize,
  startAuthorization,
  register,
  signInAndAllow,
} from '../testing/oauth-client.ts';
import { newPerson, startOAuthStack } from '../testing/oauth-stack.ts';
import type { OAuthStack, TestPerson } from '../testing/oauth-stack.ts';
import { contextOf } from '../testing/context-of.ts';
import { endSignIns } from '../use-cases/end-sign-ins.ts';
import { updateUser } from '../use-cases/update-user.ts';

const clock = new ManualClock(new Date());
let stack: OAuthStack;

beforeAll(async () => {
  stack = await startOAuthStack({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') }, { clock });
});
afterAll(() => stack.close());

describe('a browser with a signed-in user', () => {
  test('signs in another user, who then owns the grant; the first user keeps theirs', async () => {
    const config = await register(stack);
    const first = await startAuthorization(config);
    const answer = await signInAndAllow(first.browser, stack.owner);
    const checks = { pkceCodeVerifier: first.verifier, expectedState: first.state };
    const owned = await client.authorizationCodeGrant(config, answer, checks);

    const other = await newPerson(stack, 'other@one.example');
    const second = await startAuthorization(config, { prompt: 'login' }, first.browser);
    const otherAnswer = await signInAndAllow(second.browser, other);
    const tokens = await client.authorizationCodeGrant(config, otherAnswer, {
      pkceCodeVerifier: second.verifier,
      expectedState: second.state,
    });
    expect(decodeJwt(tokens.access_token).sub).toBe(other.userId);
    expect(await stack.replicas[0].ownerOf(owned.access_token)).toMatchObject({
      userId: stack.owner.userId,
    });
  });

  test('asks who it is again once that user is no longer active', async () => {
    const config = await register(stack);
    const person = await newPerson(stack, 'leaving@one.example');
    const { browser } = await startAuthorization(config);
    await signInAndAllow(browser, person);
    await updateUser(stack.deps, contextOf(stack.owner), person.userId, { isActive: false });
    expect((await startAuthorization(config, {}, browser)).answer).toBeUndefined();
    expect(browser.page.status).toBe(200);
    expect((await signInAndAllow(browser, stack.owner)).searchParams.has('code')).toBe(true);
  });

  test('gives another client nothing without asking', async () => {
    const [one, two] = [await register(stack), await register(stack)];
    const { browser } = await startAuthorization(one);
    await signInAndAllow(browser, stack.owner);
    const silent = await startAuthorization(two, { prompt: 'none' }, browser);
    expect(silent.answer?.searchParams.get('error')).toBe('interaction_required');
  });
});

test('a browser that signed out stays so when a request that was under way ends after that', async () => {
  const config = await register(stack);
  const { browser } = await startAuthorization(config);
  await signInAndAllow(browser, stack.owner);
  const cookie = browser.cookieHeader('/oauth/device');
  const artifacts = stack.store.collection(oauthArtifactCollection);
  const before = await artifacts.find({ kind: 'Session' }).toArray();
  await browser.open(`${stack.publicUrl}/oauth/sign-out`);
  await browser.press('Sign out');
  // Writes that the authorization server makes at the end of such a request.
  for (const { _id, sealed, expiresAt } of before)
    await artifacts.updateOne({ _id }, { $set: { sealed, expiresAt } }, { upsert: true });
  const page = await fetch(`${stack.publicUrl}/oauth/sign-out`, { headers: { cookie } });
  expect(await page.text()).not.toContain('You are signed in');
});

describe('a new password', () => {
  test('ends every sign-in of the user: tokens and browser sessions; others keep theirs', async () => {
    const config = await register(stack);
    const person = await newPerson(stack, 'careful@one.example');
    const kept = await authorize(config, stack.owner);
    const { browser, verifier, state } = await startAuthorization(config);
    const answer = await signInAndAllow(browser, person);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const lost = await client.authorizationCodeGrant(config, answer, checks);
    const ownerOf = (token: string) => stack.replicas[0].ownerOf(token);
    expect(await ownerOf(lost.access_token)).toBeDefined();
    clock.advance(1_000);
    const password = 'a password that nobody else knows';
    await updateUser(stack.deps, contextOf(stack.owner), person.userId, { password: new Secret(password) });
    expect(await ownerOf(lost.access_token)).toBeUndefined();
    await expect(client.refreshTokenGrant(config, lost.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect((await startAuthorization(config, {}, browser)).answer).toBeUndefined();
    expect(browser.page.html).toContain('name="password"');
    const again = await signInAndAllow(browser, { ...person, password });
    expect(again.searchParams.has('code')).toBe(true);
    expect(await ownerOf(kept.access_token)).toBeDefined();
  });
});

describe('a user whose sign-ins are ended', () => {
  /** Ends the sign-ins while requests are in progress; these then write back the sessions that they had read. */
  async function endWhileWritten(kind: 'Session' | 'Interaction', person: TestPerson): Promise<void> {
    const artifacts = stack.store.collection(oauthArtifactCollection);
    const read = await artifacts.find({ kind }).toArray();
    await endSignIns(stack.deps, person);
    for (const document of read)
      await artifacts.replaceOne({ _id: document._id }, document, { upsert: true });
  }

  const nextSecond = () => clock.advance(1_000);

  test('is asked again in a browser whose request was under way meanwhile', async () => {
    const config = await register(stack);
    const person = await newPerson(stack, 'raced@one.example');
    const { browser } = await startAuthorization(config);
    await signInAndAllow(browser, person);
    nextSecond();
    await endWhileWritten('Session', person);
    expect((await startAuthorization(config, {}, browser)).answer).toBeUndefined();
    expect(browser.page.html).toContain('name="password"');
    expect((await signInAndAllow(browser, person)).searchParams.has('code')).toBe(true);
  });

  test('is not signed in by a password that was checked before that', async () => {
    const config = await register(stack);
    const person = await newPerson(stack, 'slow@one.example');
    let isHeld = true;
    const browser = new FormBrowser({
      stopAt: ({ origin, pathname }) =>
        origin === new URL(REDIRECT_URI).origin || (isHeld && pathname.startsWith('/oauth/authorize/')),
    });
    await startAuthorization(config, {}, browser);
    const held = await browser.press('Sign in', { email: person.email, password: person.password });
    if (held === undefined) throw new Error('The sign-in was not held.');
    nextSecond();
    await endWhileWritten('Interaction', person);
    isHeld = false;
    await browser.open(held);
    expect(browser.page.html).not.toContain('Allow access?');
  });
});

test('an unreachable database is reported as temporarily unavailable, to clients and to people', async () => {
  const link = await openLink(Number(new URL(inject('mongodbUri')).port));
  const away = await startOAuthStack(
    { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') },
    {
      // A direct connection: otherwise the replica set would tell the driver an address that bypasses the link.
      env: { MONGODB_URI: `mongodb://${link.host}:${link.port}/?directConnection=true` },
    },
  );
  const [{ url }] = away.replicas;
  const config = await register(away);
  const tokens = await authorize(config, away.owner);
  await link.set({ kind: 'refuse' });
  // Concurrent, because each request waits until the database call times out.
  const answering = fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token ?? '',
      client_id: config.clientMetadata().client_id,
    }),
  });
  const showing = fetch(
    client.buildAuthorizationUrl(config, { redirect_uri: 'http://127.0.0.1:9/callback' }),
    { headers: { accept: 'text/html' } },
  );
  const [answer, page] = await Promise.all([answering, showing]);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
  expect(page.status).toBe(503);
  expect(page.headers.get('content-type')).toContain('text/html');
  await link.set({ kind: 'pass' });
  await away.close();
  await link.close();
});
