import { createHash, randomBytes } from 'node:crypto';
import { stack } from './api.ts';
import { exchange } from './recorder.ts';
import { Visitor } from './sign-in.ts';

/** A redirect address that no browser opens: tests stop there and read it. */
export const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/** A response of the authorization server. */
export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Headers;
  // Tests read responses of any shape; the test asserts the shape.
  readonly body: any;
}

/** A client registered by a test, or created by an administrator. */
export interface TestClient {
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string;
}

/** A person who signs in. */
export interface Person {
  readonly email: string;
  readonly password: string;
}

/** Tokens as the token endpoint issued them. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly scope: string;
  readonly expires_in: number;
}

async function ask(url: URL | string, method: string, headers: Headers, body?: string): Promise<OAuthAnswer> {
  const reply = await exchange(new URL(url, stack.baseUrl), {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const isJson = reply.headers.get('content-type')?.includes('json') === true;
  return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(reply.text) : reply.text };
}

/** The metadata of the authorization server (RFC 8414). */
export async function serverMetadata(): Promise<any> {
  return (await ask('/.well-known/oauth-authorization-server/oauth', 'GET', new Headers())).body;
}

/** Posts JSON to an endpoint, for client registration. */
function postJson(endpoint: string, body: unknown): Promise<OAuthAnswer> {
  return ask(endpoint, 'POST', new Headers({ 'content-type': 'application/json' }), JSON.stringify(body));
}

/** Posts a form to an endpoint as a client; confidential clients authenticate in the header, others in the body. */
export function postForm(
  endpoint: string,
  client: TestClient,
  values: Readonly<Record<string, string>>,
): Promise<OAuthAnswer> {
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
  const form = new URLSearchParams(values);
  if (client.clientSecret === undefined) form.set('client_id', client.clientId);
  else {
    const pair = [client.clientId, client.clientSecret].map(encodeURIComponent).join(':');
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  }
  return ask(endpoint, 'POST', headers, form.toString());
}

/** Registers a public client. Only a few per hour and address are permitted, so a file shares one. */
export async function registerClient(more: Record<string, unknown> = {}): Promise<TestClient> {
  const { registration_endpoint: endpoint } = await serverMetadata();
  const answer = await postJson(endpoint, {
    client_name: 'Contract tests',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...more,
  });
  if (answer.status !== 201)
    throw new Error(`registration answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return { clientId: answer.body.client_id };
}

/** The options of an authorization request. */
export interface AuthorizationRequest {
  readonly scope?: string;
  readonly resource?: string;
  readonly decision?: 'Allow' | 'Deny';
  /** Added to the request; undefined removes a parameter. */
  readonly more?: Readonly<Record<string, string | undefined>>;
}

/** A code, and the verifier needed to redeem it. */
export interface Authorization {
  readonly code: string | null;
  readonly error: string | null;
  readonly state: string | null;
  readonly iss: string | null;
  readonly codeVerifier: string;
}

/** Signs in and consents like a person with a browser; returns the parameters that the client receives. */
export async function authorizeAs(
  person: Person,
  client: TestClient,
  request: AuthorizationRequest = {},
): Promise<Authorization> {
  const { scope = 'connections.read offline_access', resource = stack.baseUrl, decision = 'Allow' } = request;
  const codeVerifier = randomBytes(32).toString('base64url');
  const { authorization_endpoint: endpoint } = await serverMetadata();
  const address = new URL(endpoint);
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    scope,
    resource,
    state: 'state-of-the-test',
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...request.more,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) address.searchParams.set(name, value);
  }
  const atClient = (url: URL): boolean => url.href.startsWith(REDIRECT_URI);
  const visitor = new Visitor();
  let page = await visitor.open(address.href, undefined, atClient);
  if (page.html.includes('type="password"')) {
    page = await visitor.submit(
      page,
      { email: person.email, password: person.password },
      /Sign in/,
      atClient,
    );
  }
  if (!atClient(page.url))
    page = await visitor.submit(
      page,
      {},
      new RegExp(`^\\s*${decision}\\s*$|>\\s*${decision}\\s*<`),
      atClient,
    );
  if (!atClient(page.url))
    throw new Error(`The dialogue ended at ${page.url.href} (${page.status}):\n${page.html}`);
  const told = (name: string): string | null => page.url.searchParams.get(name);
  return { code: told('code'), error: told('error'), state: told('state'), iss: told('iss'), codeVerifier };
}

/** Redeems a code. */
export async function redeem(
  client: TestClient,
  { code, codeVerifier }: Pick<Authorization, 'code' | 'codeVerifier'>,
  more: Readonly<Record<string, string>> = {},
): Promise<OAuthAnswer> {
  const { token_endpoint: endpoint } = await serverMetadata();
  return postForm(endpoint, client, {
    grant_type: 'authorization_code',
    code: code ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: codeVerifier,
    ...more,
  });
}

/** Redeems a refresh token. */
export async function refresh(client: TestClient, refreshToken: string): Promise<OAuthAnswer> {
  const { token_endpoint: endpoint } = await serverMetadata();
  return postForm(endpoint, client, { grant_type: 'refresh_token', refresh_token: refreshToken });
}

/** Signs in and consents; returns the tokens. */
export async function tokensOf(
  person: Person,
  client: TestClient,
  request: AuthorizationRequest = {},
): Promise<Tokens> {
  const answer = await redeem(client, await authorizeAs(person, client, request));
  if (answer.status !== 200)
    throw new Error(`token answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Options of a call with a bearer token and without a key. */
export function withToken(token: string): {
  readonly apiKey: null;
  readonly headers: Readonly<Record<string, string>>;
} {
  return { apiKey: null, headers: { authorization: `Bearer ${token}` } };
}

/** The claims of a token, not verified. */
export function claimsOf(token: string): any {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
