import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { authorize, beginAuthorization, register, signInAndAllow, whoamiBy } from './testing/oauth-client.ts';
import { startOAuthStack } from './testing/oauth-stack.ts';
import type { OAuthStack, TestPerson } from './testing/oauth-stack.ts';

const ctx = testContext();
const PASSWORD = 'another correct password';
let stack: OAuthStack;

beforeAll(async () => {
  stack = await startOAuthStack({ mongodbUri: inject('mongodbUri') });
});
afterAll(() => stack.close());

const owner = () => ({ ...stack.owner, roles: ['owner'] as const });

async function newPerson(email: string): Promise<TestPerson> {
  const { id: userId } = await stack.identity.createUser(ctx, owner(), {
    email,
    role: 'member',
    isActive: true,
    password: new Secret(PASSWORD),
  });
  return { accountId: stack.owner.accountId, userId, email, password: PASSWORD };
}

describe('a browser in which somebody is signed in', () => {
  test('signs in somebody else, whose grant it then is; the first one keeps theirs', async () => {
    const config = await register(stack);
    const first = await beginAuthorization(config);
    const answer = await signInAndAllow(first.browser, stack.owner);
    const checks = { pkceCodeVerifier: first.verifier, expectedState: first.state };
    const owned = await client.authorizationCodeGrant(config, answer, checks);

    const other = await newPerson('other@one.example');
    const second = await beginAuthorization(config, { prompt: 'login' }, first.browser);
    const otherAnswer = await signInAndAllow(second.browser, other);
    const tokens = await client.authorizationCodeGrant(config, otherAnswer, {
      pkceCodeVerifier: second.verifier,
      expectedState: second.state,
    });
    expect(decodeJwt(tokens.access_token).sub).toBe(other.userId);
    expect((await whoamiBy(owned.access_token, stack.replicas[0].url)).body).toMatchObject({
      userId: stack.owner.userId,
    });
  });

  test('asks who it is again once that user is no longer active', async () => {
    const config = await register(stack);
    const person = await newPerson('leaving@one.example');
    const { browser } = await beginAuthorization(config);
    await signInAndAllow(browser, person);
    await stack.identity.updateUser(ctx, owner(), person.userId, { isActive: false });
    expect((await beginAuthorization(config, {}, browser)).answer).toBeUndefined();
    expect(browser.page.status).toBe(200);
    expect((await signInAndAllow(browser, stack.owner)).searchParams.has('code')).toBe(true);
  });

  test('gives another client nothing without asking', async () => {
    const [one, two] = [await register(stack), await register(stack)];
    const { browser } = await beginAuthorization(one);
    await signInAndAllow(browser, stack.owner);
    const silent = await beginAuthorization(two, { prompt: 'none' }, browser);
    expect(silent.answer?.searchParams.get('error')).toBe('interaction_required');
  });
});

test('a database that is away is told as temporarily unavailable, to clients and to people', async () => {
  const away = await startOAuthStack({ mongodbUri: inject('mongodbUri') });
  const [{ url }] = away.replicas;
  const config = await register(away);
  const tokens = await authorize(config, away.owner);
  await away.store.client.close();
  const answer = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token ?? '',
      client_id: config.clientMetadata().client_id,
    }),
  });
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
  const page = await fetch(
    client.buildAuthorizationUrl(config, { redirect_uri: 'http://127.0.0.1:9/callback' }),
    {
      headers: { accept: 'text/html' },
    },
  );
  expect(page.status).toBe(503);
  expect(page.headers.get('content-type')).toContain('text/html');
  // Verified before and not revoked as far as is known, but who its user is cannot be read.
  expect([200, 503]).toContain((await whoamiBy(tokens.access_token, url)).status);
  for (const { edge, keys } of away.replicas) {
    await edge.close();
    await keys.close();
  }
});
