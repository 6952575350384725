import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Provider } from 'oidc-provider';
import type { JWK } from 'oidc-provider';
import type { ResolvedConfig } from '../config.ts';
import { settingOrNew } from '../storage/database.ts';
import type { OAuthEntityRepository } from '../storage/oauth-entity.repository.ts';
import { messagePage } from '../pages/message.page.ts';
import { pageHeaders } from '../pages/layout.ts';
import { createAdapterFactory } from './adapter.ts';
import { registerClientCredentialsGrant } from './client-credentials.grant.ts';
import { OFFLINE_ACCESS, recordScopes, scopeDescriptions } from './scopes.ts';

/** Path of the OAuth server. */
export const OAUTH_PATH = '/oauth';

/** Account id of the one person who can sign in. Not the e-mail, so that grants survive a change of it. */
export const ACCOUNT_ID = 'usr_1';

const DAY_SECONDS = 24 * 60 * 60;

/** The parts of the OAuth server. */
export interface ProviderParts {
  readonly config: ResolvedConfig;
  /** Origin of this server as browsers see it; the issuer is below it. */
  readonly origin: string;
  readonly database: DatabaseSync;
  readonly entities: OAuthEntityRepository;
}

/**
 * The OAuth 2 server: authorization code with PKCE, refresh with rotation, client credentials, revocation. A request for `offline_access`
 * gets a refresh token without `prompt=consent`; a request without scopes gets the record scopes.
 */
export function createOidcProvider({ config, origin, database, entities }: ProviderParts): Provider {
  const provider = new Provider(`${origin}${OAUTH_PATH}`, {
    adapter: createAdapterFactory(entities, config.refreshReuseGraceSeconds),
    clients: config.oauthClients.map((client) => ({
      client_id: client.clientId,
      client_secret: client.clientSecret,
      client_name: client.name ?? client.clientId,
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      response_types: ['code'],
      // For either method, the library accepts the secret in the Authorization header and in the body.
      token_endpoint_auth_method: 'client_secret_basic',
    })),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    jwks: { keys: [signingKey(database)] },
    cookies: {
      keys: [settingOrNew(database, 'cookieKey', () => randomBytes(32).toString('base64url'))],
      names: { session: 'crm_session', interaction: 'crm_interaction', resume: 'crm_resume' },
    },
    scopes: Object.keys(scopeDescriptions),
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    pkce: { required: () => true },
    routes: { revocation: '/revoke' },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    ttl: {
      AccessToken: config.accessTokenTtlSeconds,
      ClientCredentials: config.accessTokenTtlSeconds,
      IdToken: config.accessTokenTtlSeconds,
      AuthorizationCode: 60,
      Interaction: 15 * 60,
      Session: 14 * DAY_SECONDS,
      RefreshToken: 90 * DAY_SECONDS,
      // A refresh does not extend a grant, so the grant must outlast any chain of refresh tokens.
      Grant: 3650 * DAY_SECONDS,
    },
    // Tests that expire tokens require that an expired token is refused at once.
    clockTolerance: 0,
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    clientBasedCORS: () => false,
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, id) =>
      id === ACCOUNT_ID ? { accountId: id, claims: async () => ({ sub: id }) } : undefined,
    renderError: (ctx, out) => {
      ctx.set(pageHeaders());
      ctx.type = 'html';
      ctx.body = messagePage('This sign-in cannot continue', [out.error_description ?? out.error]);
    },
  });
  registerClientCredentialsGrant(provider);
  provider.use(async (ctx, next) => {
    if (ctx.method === 'GET' && ctx.path === '/auth') ctx.query = withDefaults(ctx.query);
    await next();
  });
  if (config.publicUrl !== undefined) answerAsPublicUrl(provider, new URL(config.publicUrl));
  return provider;
}

type Query = NodeJS.Dict<string | string[]>;

/** Fills in scope and prompt of an authorization request: the library applies OpenID Connect's rules, but clients follow OAuth's. */
function withDefaults(query: Query): Query {
  const scope =
    query['scope'] === undefined || query['scope'] === '' ? recordScopes.join(' ') : query['scope'];
  const asksOffline = typeof scope === 'string' && scope.split(' ').includes(OFFLINE_ACCESS);
  const prompt = query['prompt'];
  // OpenID Connect ignores offline_access unless the request forces consent, which OAuth clients do not do.
  if (
    !asksOffline ||
    prompt === 'none' ||
    (typeof prompt === 'string' && prompt.split(' ').includes('consent'))
  ) {
    return { ...query, scope };
  }
  return {
    ...query,
    scope,
    prompt: typeof prompt === 'string' && prompt !== '' ? `${prompt} consent` : 'consent',
  };
}

/** Behind a proxy, URLs are built from the public URL, whatever headers the proxy forwards. */
function answerAsPublicUrl(provider: Provider, publicUrl: URL): void {
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    ctx.req.headers['x-forwarded-host'] = publicUrl.host;
    ctx.req.headers['x-forwarded-proto'] = publicUrl.protocol.slice(0, -1);
    await next();
  });
}

/** Signs the ID tokens of clients that ask for `openid`; access tokens are opaque. */
function signingKey(database: DatabaseSync): JWK {
  const text = settingOrNew(database, 'signingKey', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return JSON.stringify(privateKey.export({ format: 'jwk' }));
  });
  // Only the lines above write this value.
  return JSON.parse(text) as JWK;
}
