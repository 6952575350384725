import { ManualClock } from '@fairlead/service-kit/clock';
import { SignJWT, decodeProtectedHeader, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { PUBLISH_AHEAD_MS } from './keys/key-set.ts';
import { authorize, startAuthorization, discover, register } from '../testing/oauth-client.ts';
import { startOAuthStack } from '../testing/oauth-stack.ts';
import type { OAuthStack, TestReplica } from '../testing/oauth-stack.ts';

const clock = new ManualClock(new Date());
let stack: OAuthStack;

beforeAll(async () => {
  stack = await startOAuthStack(
    { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') },
    { count: 2, clock },
  );
});
afterAll(() => stack.close());

const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const publishedAt = async (replica: TestReplica): Promise<readonly string[]> => {
  const response = await fetch(`${replica.url}/oauth/jwks`);
  const { keys } = (await response.json()) as { readonly keys: readonly { readonly kid: string }[] };
  return keys.map(({ kid }) => kid);
};

/** Makes the replica refresh its keys: revokes a token whose key id is unknown. */
async function nameUnknownKey(replica: TestReplica, clientId: string): Promise<void> {
  const { privateKey } = await generateKeyPair('RS256');
  const jwt = new SignJWT({}).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'unknown' });
  await fetch(`${replica.url}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: await jwt.sign(privateKey), client_id: clientId }),
  });
}

test('rotation: the next key is published, then signs; tokens and sessions from before it stay good, on all replicas', async () => {
  const [one, two] = stack.replicas;
  if (two === undefined) throw new Error('There is one replica only.');
  const config = await register(stack);
  const before = await authorize(config, stack.owner);
  const [old] = await publishedAt(one);
  expect(kidOf(before.access_token)).toBe(old);

  const signedIn = await startAuthorization(config);
  const { email, password } = stack.owner;
  await signedIn.browser.press('Sign in', { email, password });

  const { kid: next } = (await one.call('OperatorService/RotateSigningKey', {})) as { readonly kid: string };
  expect(await publishedAt(one)).toEqual([old, next]);
  const meanwhile = await client.refreshTokenGrant(config, before.refresh_token ?? '');
  expect(kidOf(meanwhile.access_token)).toBe(old);

  clock.advance(PUBLISH_AHEAD_MS);
  // Replicas refresh twice a minute; a token with an unknown key id makes them refresh at once.
  await nameUnknownKey(one, config.clientMetadata().client_id);
  expect(await publishedAt(one)).toEqual([next, old]);
  const after = await client.refreshTokenGrant(config, meanwhile.refresh_token ?? '');
  expect(kidOf(after.access_token)).toBe(next);
  for (const { access_token } of [meanwhile, after]) {
    for (const replica of [one, two]) expect(await replica.ownerOf(access_token)).toBeDefined();
  }

  // Also through another replica, which has not seen the new key yet.
  const elsewhere = await discover(stack, config.clientMetadata().client_id, { through: two.url });
  expect((await client.refreshTokenGrant(elsewhere, after.refresh_token ?? '')).access_token).toBeDefined();
  // The browser's cookies were signed by the old cookie key.
  expect((await signedIn.browser.press('Allow'))?.searchParams.has('code')).toBe(true);
});
