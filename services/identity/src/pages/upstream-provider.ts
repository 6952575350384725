import type { Clock } from '@fairlead/service-kit/clock';
import * as openid from 'openid-client';
import type { UpstreamSettings } from '../upstream-config.ts';
import type { UpstreamIdentity } from '../domain/upstream-identity.ts';

/** The parameters of a sign-in at the provider. */
export interface UpstreamRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** An upstream provider, with which people may sign in. */
export interface UpstreamProvider {
  readonly name: string;
  /** The address to which the browser is sent. Throws an UpstreamError. */
  authorizationUrl(request: UpstreamRequest): Promise<URL>;
  /** The identity of the person; `query` is the provider's response to `request`. Throws an UpstreamError. */
  identify(request: UpstreamRequest, query: string): Promise<UpstreamIdentity>;
}

/** `refused`: the provider or the person refused. `unavailable`: the provider gave no usable response. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly kind: 'refused' | 'unavailable';

  constructor(kind: 'refused' | 'unavailable', cause: unknown) {
    super(`The upstream provider is ${kind}.`, { cause });
    this.kind = kind;
  }
}

/** Longest wait for one response of the provider. */
const TIMEOUT_SECONDS = 5;
/** How long its metadata is cached. Failures are not cached. */
const METADATA_LIFETIME_MS = 60 * 60_000;

/** Creates the client of the provider in `settings`; discovers the provider at first use. ID tokens are verified with its keys. */
export function createUpstreamProvider(o: {
  readonly settings: UpstreamSettings;
  readonly clock: Clock;
}): UpstreamProvider {
  const { settings, clock } = o;
  let known: { readonly configuration: Promise<openid.Configuration>; readonly at: number } | undefined;
  const configuration = (): Promise<openid.Configuration> => {
    const now = clock.now().getTime();
    if (known === undefined || now - known.at > METADATA_LIFETIME_MS) {
      const discovery = { configuration: discover(settings), at: now };
      known = discovery;
      discovery.configuration.catch(() => {
        if (known === discovery) known = undefined;
      });
    }
    return known.configuration;
  };
  return {
    name: settings.name,
    authorizationUrl: (request) =>
      orUpstreamError(async () =>
        openid.buildAuthorizationUrl(await configuration(), {
          redirect_uri: request.redirectUri,
          scope: 'openid email',
          state: request.state,
          nonce: request.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(request.codeVerifier),
          code_challenge_method: 'S256',
        }),
      ),
    identify: (request, query) =>
      orUpstreamError(async () => identityOf(await configuration(), request, query)),
  };
}

function discover({ issuer, clientId, clientSecret }: UpstreamSettings): Promise<openid.Configuration> {
  const secret = clientSecret.reveal();
  const authenticate: openid.ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const method = methods.includes('client_secret_basic')
      ? openid.ClientSecretBasic(secret)
      : openid.ClientSecretPost(secret);
    method(server, ...rest);
  };
  return openid.discovery(issuer, clientId, secret, authenticate, {
    timeout: TIMEOUT_SECONDS,
    execute: [
      openid.enableNonRepudiationChecks,
      ...(issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
    ],
  });
}

async function identityOf(
  configuration: openid.Configuration,
  request: UpstreamRequest,
  query: string,
): Promise<UpstreamIdentity> {
  const callback = new URL(request.redirectUri);
  callback.search = query;
  const tokens = await openid.authorizationCodeGrant(configuration, callback, {
    expectedState: request.state,
    expectedNonce: request.nonce,
    pkceCodeVerifier: request.codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('The upstream provider sent no ID token.');
  // The provider may return the requested claims only at the userinfo endpoint (OpenID Connect Core, 5.4).
  const profile =
    claims['email'] === undefined
      ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : claims;
  const { email, email_verified: isVerified } = profile;
  return {
    issuer: claims.iss,
    subject: claims.sub,
    verifiedEmail: typeof email === 'string' && isVerified === true ? email.trim().toLowerCase() : undefined,
  };
}

/** Error codes by which a provider blames itself, or our client's settings. */
const NOT_THE_PERSON = new Set([
  'server_error',
  'temporarily_unavailable',
  'invalid_client',
  'unauthorized_client',
]);

async function orUpstreamError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isAnswer =
      error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError;
    throw new UpstreamError(isAnswer && !NOT_THE_PERSON.has(error.error) ? 'refused' : 'unavailable', error);
  }
}
