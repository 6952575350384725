import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { FormBrowser } from '@fairlead-services/identity/testing/form-browser';
import { z } from 'zod';
import { createAccount, expectStatus } from '../../contract/support/accounts.ts';
import { post, stack } from '../../contract/support/api.ts';
import type { Person, Tokens } from '../../contract/support/oauth.ts';
import type { TestAccount } from '../../contract/support/own-accounts.ts';
import type { LoadRoute, Send, Steps } from './load.ts';
import { DATA_DEADLINE_MS } from './traffic.ts';

/** An account with its own OAuth client that may use every grant type. */
export interface IdentityAccount extends TestAccount {
  /** Its owner. */
  readonly person: Person;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
}

type Headers = Readonly<Record<string, string>>;

// Not on the user's own machine, where each request would need a new consent.
const REDIRECT_URI = 'https://client.test.example/callback';
/** AUTHORIZATION_TIMEOUT_MS of the gateway, for all requests that it forwards to identity. */
const AUTHORIZATION_DEADLINE_MS = 20_000;
const SCOPES = 'connections.read offline_access';
/** Pause between two codes of a client: two clients of one address together stay below five sign-ins per second. */
const CODE_PAUSE_MS = 400;

const tokensBody = z.object({ access_token: z.string(), refresh_token: z.string().default('') });
const clientBody = z.object({ clientId: z.string(), clientSecret: z.string() });
const keyBody = z.object({ id: z.string(), apiKey: z.string() });

/** Creates one. */
export async function createIdentityAccount(): Promise<IdentityAccount> {
  const account = await createAccount();
  const body = {
    name: 'Under load',
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes: ['connections.read'],
    redirectUris: [REDIRECT_URI],
  };
  const created = expectStatus(await post('/admin/v1/oauth-clients', body, account), 201);
  const person = { email: account.ownerEmail, password: account.ownerPassword };
  return { ...account, person, client: clientBody.parse(created.body) };
}

/** A browser in which the owner has signed in and consented. */
export interface SignedIn {
  /** Headers of an authorization request that gets a code without a page. */
  readonly headers: Headers;
  /** Tokens of the first code. */
  readonly tokens: Pick<Tokens, 'access_token'> & { readonly refresh_token: string };
}

/** Signs the owner in with a new browser. */
export async function signIn(account: IdentityAccount): Promise<SignedIn> {
  const browser = new FormBrowser({ stopAt: ({ href }) => href.startsWith(REDIRECT_URI) });
  const { path, verifier } = authorization(account);
  await browser.open(stack.baseUrl + path);
  const { email, password } = account.person;
  const answer = (await browser.press('Sign in', { email, password })) ?? (await browser.press('Allow'));
  if (answer === undefined) throw new Error(`The client got no response: ${browser.page.html}`);
  const route = redeemRoute(account, answer.href, verifier);
  const redeemed = await fetch(stack.baseUrl + route.path, {
    method: 'POST',
    headers: route.headers,
    body: route.body,
  });
  return {
    headers: { cookie: browser.cookieHeader('/oauth/authorize') },
    tokens: tokensBody.parse(await redeemed.json()),
  };
}

/** The headers of a call by key. */
export const byKey = (apiKey: string): Headers => ({ 'x-api-key': apiKey });

/** The headers of a call by token. */
export const byToken = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** Calls `whoami` with a credential; `kind` names it. */
export function whoamiRoute(kind: string, headers: Headers): LoadRoute {
  const path = '/v1/auth/whoami';
  return { name: `GET whoami, ${kind}`, method: 'GET', path, headers, deadlineMs: DATA_DEADLINE_MS };
}

/** A request of the account's client to the token endpoint. */
export function tokenRoute(
  { client }: Pick<IdentityAccount, 'client'>,
  values: { readonly grant_type: string } & Readonly<Record<string, string>>,
): LoadRoute & { readonly headers: Headers; readonly body: URLSearchParams } {
  const pair = [client.clientId, client.clientSecret].map(encodeURIComponent).join(':');
  return {
    name: `POST /oauth/token, ${values.grant_type}`,
    method: 'POST',
    path: '/oauth/token',
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    body: new URLSearchParams(values),
    deadlineMs: AUTHORIZATION_DEADLINE_MS,
  };
}

/** A token request with client credentials. */
export function credentialsRoute(account: IdentityAccount): ReturnType<typeof tokenRoute> {
  return tokenRoute(account, { grant_type: 'client_credentials', resource: stack.baseUrl });
}

/** A token request with a refresh token. */
export function refreshRoute(account: IdentityAccount, token: string): ReturnType<typeof tokenRoute> {
  return tokenRoute(account, { grant_type: 'refresh_token', refresh_token: token });
}

/** An authorization request, and a function that redeems the code in its redirect. */
export function authorizeRoute(
  account: IdentityAccount,
  headers: Headers,
): { readonly route: LoadRoute; readonly redeem: (answer: string) => ReturnType<typeof tokenRoute> } {
  const { path, verifier } = authorization(account);
  return {
    route: {
      name: 'GET /oauth/authorize',
      method: 'GET',
      path,
      headers,
      deadlineMs: AUTHORIZATION_DEADLINE_MS,
    },
    redeem: (answer) => redeemRoute(account, answer, verifier),
  };
}

function authorization({ client }: IdentityAccount): { path: string; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    scope: SCOPES,
    resource: stack.baseUrl,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { path: `/oauth/authorize?${query.toString()}`, verifier };
}

function redeemRoute(
  account: IdentityAccount,
  answer: string,
  verifier: string,
): ReturnType<typeof tokenRoute> {
  return tokenRoute(account, {
    grant_type: 'authorization_code',
    code: new URL(answer).searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  });
}

/** A client that creates a key, calls with it at once and revokes it. */
export function newKeySteps({ apiKey }: TestAccount): Steps {
  const path = '/admin/v1/api-keys';
  const common = { headers: byKey(apiKey), deadlineMs: DATA_DEADLINE_MS };
  return async (send) => {
    const created = await send({
      ...common,
      name: 'POST api-keys',
      method: 'POST',
      path,
      body: { name: 'New' },
    });
    if (created.status !== 201) return;
    const made = keyBody.parse(created.body);
    await send(whoamiRoute('new key', byKey(made.apiKey)));
    await send({ ...common, name: 'DELETE api-keys', method: 'DELETE', path: `${path}/${made.id}` });
  };
}

/** A client that always uses the newest refresh token, and calls with each new access token at once. */
export function refreshSteps(account: IdentityAccount, { tokens }: SignedIn): Steps {
  let { refresh_token: current } = tokens;
  return async (send) => {
    const renewed = await callWithNewToken(send, refreshRoute(account, current));
    if (renewed !== undefined) current = renewed.refresh_token;
  };
}

/** A client that requests a token for itself, and calls with it at once. */
export function credentialsSteps(account: IdentityAccount): Steps {
  return (send) => callWithNewToken(send, credentialsRoute(account));
}

/** A client whose user has a session: it requests a code, redeems it, and calls with the token at once. */
export function codeSteps(account: IdentityAccount, { headers }: SignedIn): Steps {
  return async (send) => {
    const { route, redeem } = authorizeRoute(account, headers);
    const { location } = await send(route);
    if (location?.includes('code=') === true) await callWithNewToken(send, redeem(location));
    await delay(CODE_PAUSE_MS);
  };
}

async function callWithNewToken(
  send: Send,
  route: LoadRoute,
): Promise<z.infer<typeof tokensBody> | undefined> {
  const answer = await send(route);
  if (answer.status !== 200) return undefined;
  const tokens = tokensBody.parse(answer.body);
  await send(whoamiRoute('new token', byToken(tokens.access_token)));
  return tokens;
}
