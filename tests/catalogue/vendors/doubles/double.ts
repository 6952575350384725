import { createHash, randomBytes } from 'node:crypto';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { ReceivedRequest, TestResponse } from '@fairlead/connector-runtime/testing/http-server';

/** The OAuth client known to every double. */
export const CLIENT = { id: 'client-of-the-walk', secret: 'secret-of-the-client-of-the-walk' } as const;

/** Path of a double's control API for tests. */
export const CONTROL_PATH = '/control-of-the-double';

/** A command to a double. */
export interface Control {
  /** Invalidates the access tokens issued so far. */
  readonly expire?: boolean;
  /** Invalidates access and refresh tokens. */
  readonly revoke?: boolean;
  /** Responses to the next API calls with valid tokens. */
  readonly answers?: readonly TestResponse[];
  /** Adds a record to those that the vendor lists. */
  readonly add?: Readonly<Record<string, unknown>>;
}

/** Tokens of a grant. */
interface Tokens {
  readonly accessToken: string;
  /** Undefined: the previous refresh token stays valid. */
  readonly refreshToken: string | undefined;
  /** Scopes as requested at the sign-in. */
  readonly scope: string;
}

/** How a vendor deviates from others. */
interface VendorRules {
  /** The handler at a path; `open`: the API, without requiring a token. */
  readonly placeOf: (path: string) => 'authorize' | 'token' | 'api' | 'open';
  /** Additional parameters of the callback, besides code and state. */
  readonly callback?: (request: ReceivedRequest) => Readonly<Record<string, string>>;
  /** Prefix of its tokens. */
  readonly prefixes: { readonly access: string; readonly refresh: string };
  /** Whether a refresh token can be used only once. */
  readonly rotates: boolean;
  /** The body with new tokens. */
  readonly granted: (
    tokens: Tokens,
    o: { readonly isRefresh: boolean; readonly parameters: URLSearchParams },
  ) => object;
  readonly refused: Readonly<Record<'client' | 'code' | 'refreshToken', TestResponse>>;
  /** Extracts the access token of a call. */
  readonly tokenOf: (request: ReceivedRequest) => string | undefined;
  /** The response to a call with an invalid token. */
  readonly unauthorized: TestResponse;
  readonly answer: (request: ReceivedRequest) => TestResponse;
  /** Adds a record, as it would be made at the vendor now. */
  readonly add?: (record: Readonly<Record<string, unknown>>) => void;
}

/** A running double. */
export interface Double {
  /** Addresses of its hosts. */
  readonly urls: readonly string[];
  readonly close: () => Promise<void>;
}

/** Starts the double of a vendor on several hosts, which all respond alike. */
export async function startDouble(
  rulesOf: (urls: readonly string[]) => VendorRules,
  hosts = 1,
): Promise<Double> {
  let respond = (_request: ReceivedRequest): TestResponse => ({ status: 503 });
  const servers = await Promise.all(
    Array.from({ length: hosts }, () => startTestServer((request) => respond(request))),
  );
  const urls = servers.map(({ url }) => url);
  respond = vendorOf(rulesOf(urls));
  return {
    urls,
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** A person's consent, represented by a code. */
interface Consent {
  readonly scope: string;
  readonly redirectUri: string;
  readonly challenge: string | null;
}

function vendorOf(rules: VendorRules): (request: ReceivedRequest) => TestResponse {
  const consents = new Map<string, Consent>();
  const scopesByAccessToken = new Map<string, string>();
  const scopesByRefreshToken = new Map<string, string>();
  const planned: TestResponse[] = [];
  const received: ReceivedRequest[] = [];

  const control = ({ method, body }: ReceivedRequest): TestResponse => {
    if (method === 'GET') {
      const requests = received.splice(0).map((request) => ({
        ...request,
        query: Object.fromEntries(request.query),
      }));
      return { body: requests };
    }
    // The body is always valid, because only our own tests send it.
    const { expire, revoke, answers = [], add } = JSON.parse(body) as Control;
    if (expire === true || revoke === true) scopesByAccessToken.clear();
    if (revoke === true) scopesByRefreshToken.clear();
    planned.push(...answers);
    if (add !== undefined) rules.add?.(add);
    return { status: 204 };
  };

  const authorize = (request: ReceivedRequest): TestResponse => {
    const { method, query } = request;
    const redirectUri = query.get('redirect_uri');
    if (query.get('client_id') !== CLIENT.id || query.get('response_type') !== 'code' || redirectUri === null)
      return { status: 400, body: 'The client is not known.' };
    if (method === 'GET') {
      const headers = { 'content-type': 'text/html' };
      return { headers, body: '<form method="post"><button type="submit">Allow</button></form>' };
    }
    const code = random('code-');
    consents.set(code, {
      scope: query.get('scope') ?? '',
      redirectUri,
      challenge: query.get('code_challenge'),
    });
    const target = new URL(redirectUri);
    const parameters = { code, state: query.get('state') ?? '', ...rules.callback?.(request) };
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
    return { status: 302, headers: { location: target.href } };
  };

  const issue = (scope: string, hasRefreshToken: boolean): Tokens => {
    const accessToken = random(rules.prefixes.access);
    const refreshToken = hasRefreshToken ? random(rules.prefixes.refresh) : undefined;
    scopesByAccessToken.set(accessToken, scope);
    if (refreshToken !== undefined) scopesByRefreshToken.set(refreshToken, scope);
    return { accessToken, refreshToken, scope };
  };

  const tokens = (request: ReceivedRequest): TestResponse => {
    const parameters = parametersOf(request);
    if (!isClient(request, parameters)) return rules.refused.client;
    if (parameters.get('grant_type') === 'refresh_token') {
      const token = parameters.get('refresh_token') ?? '';
      const scope = scopesByRefreshToken.get(token);
      if (scope === undefined) return rules.refused.refreshToken;
      if (rules.rotates) scopesByRefreshToken.delete(token);
      return { body: rules.granted(issue(scope, rules.rotates), { isRefresh: true, parameters }) };
    }
    const code = parameters.get('code') ?? '';
    const consent = consents.get(code);
    consents.delete(code);
    if (consent === undefined || !isProven(consent, parameters)) return rules.refused.code;
    return { body: rules.granted(issue(consent.scope, true), { isRefresh: false, parameters }) };
  };

  return (request) => {
    if (request.path === CONTROL_PATH) return control(request);
    received.push(request);
    switch (rules.placeOf(request.path)) {
      case 'authorize':
        return authorize(request);
      case 'token':
        return tokens(request);
      case 'api':
        if (!scopesByAccessToken.has(rules.tokenOf(request) ?? '')) return rules.unauthorized;
        return planned.shift() ?? rules.answer(request);
      case 'open':
        return planned.shift() ?? rules.answer(request);
    }
  };
}

/** A refusal of the token endpoint (RFC 6749 section 5.2). */
export function tokenRefusal(status: number, error: string, description: string): TestResponse {
  return { status, body: { error, error_description: description } };
}

/** The token of an `Authorization: Bearer` header. */
export function bearerOf({ headers }: ReceivedRequest): string | undefined {
  return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
}

/** A page of a list: the items from a cursor on, and the next cursor. */
export function pageOf<T>(
  items: readonly T[],
  cursor: string | null | undefined,
  size = 2,
): { readonly items: readonly T[]; readonly next: string | undefined } {
  const from = Number(Buffer.from(cursor ?? '', 'base64url').toString());
  const end = from + size;
  return {
    items: items.slice(from, end),
    next: end < items.length ? Buffer.from(String(end)).toString('base64url') : undefined,
  };
}

function random(prefix: string): string {
  return prefix + randomBytes(18).toString('hex');
}

/** Parameters from a form, or from a JSON object of texts. */
function parametersOf({ headers, body }: ReceivedRequest): URLSearchParams {
  if (headers['content-type']?.startsWith('application/json') !== true) return new URLSearchParams(body);
  return new URLSearchParams(JSON.parse(body) as Record<string, string>);
}

function isClient({ headers }: ReceivedRequest, parameters: URLSearchParams): boolean {
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
  const pair =
    basic === undefined
      ? [parameters.get('client_id'), parameters.get('client_secret')].join(':')
      : Buffer.from(basic, 'base64').toString();
  return pair === `${CLIENT.id}:${CLIENT.secret}`;
}

function isProven({ redirectUri, challenge }: Consent, parameters: URLSearchParams): boolean {
  const verifier = parameters.get('code_verifier') ?? '';
  const isVerified =
    challenge === null || createHash('sha256').update(verifier).digest('base64url') === challenge;
  return isVerified && parameters.get('redirect_uri') === redirectUri;
}
