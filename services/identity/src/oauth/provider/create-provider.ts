import { timingSafeEqual } from 'node:crypto';
import { Provider, errors } from 'oidc-provider';
import type { Adapter, Configuration, KoaContextWithOIDC, Session } from 'oidc-provider';
import type { Member } from '../../domain/records.ts';
import { builtInClients, isDocumentId } from '../clients/client-kinds.ts';
import { hashClientSecret } from '../../domain/client-secret.ts';
import type { OAuthClient } from '../../domain/oauth-client.ts';
import { narrowDocument } from '../clients/public-client.ts';
import type { CurrentRequest } from '../current-request.ts';
import { interactionPath } from '../interactions.ts';
import type { ServerPages } from '../interactions.ts';
import type { KeySet } from '../keys/key-set.ts';
import type { Resources } from '@fairlead/access/resources';
import { ACCESS_TOKEN_SECONDS, createPolicy, loadExistingGrant, resourceServerFor } from './policy.ts';
import { ROUTES } from './routes.ts';
import { deviceFlowPages, errorPage } from './show-pages.ts';
import { ACCOUNT_PROPERTY, SCOPES_PROPERTY } from '../../domain/client-properties.ts';

/** The dependencies of a provider. */
export interface ProviderParts {
  readonly resources: Resources;
  readonly keys: KeySet;
  readonly adapters: (kind: string) => Adapter;
  readonly pages: ServerPages;
  /** An active user with its account; undefined for any other id. */
  readonly findActiveMember: (userId: string) => Promise<Member | undefined>;
  readonly findAccountClient: (clientId: string) => Promise<OAuthClient | undefined>;
  readonly fetch: typeof globalThis.fetch;
  /** Whether the current request's sender may make us fetch one more client document. */
  readonly mayFetchDocument: () => Promise<boolean>;
  readonly currentRequest: () => CurrentRequest | undefined;
  readonly newClientId: () => string;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Lifetimes in seconds. Each use extends the refresh token, but not its grant. */
const TTL = {
  AccessToken: ACCESS_TOKEN_SECONDS,
  ClientCredentials: ACCESS_TOKEN_SECONDS,
  AuthorizationCode: MINUTE,
  DeviceCode: 10 * MINUTE,
  IdToken: 15 * MINUTE,
  Interaction: 30 * MINUTE,
  RefreshToken: 30 * DAY,
  Grant: 365 * DAY,
  // A session without a user holds only a form's token, and anyone can create any number of them; so it is short.
  Session: (_ctx: KoaContextWithOIDC, { accountId }: Session) => (accountId === undefined ? HOUR : 7 * DAY),
} as const;

const MAX_DOCUMENT_BYTES = 16 * 1024;
const OFF = { enabled: false } as const;

/** Creates the library's authorization server with `keys`. All its state is behind `adapters`, so it can be replaced at any time. */
export function createOidcProvider(o: ProviderParts): Provider {
  const provider = new Provider(o.resources.issuer, configurationOf(o));
  provider.Client.prototype.compareClientSecret = function compareClientSecret(actual: string) {
    return isClientSecret(actual, this.clientSecret ?? '');
  };
  return provider;
}

/** Whether `secret` has this `hash`. */
function isClientSecret(secret: string, hash: string): boolean {
  const secretHash = Buffer.from(hashClientSecret(secret));
  const expected = Buffer.from(hash);
  return secretHash.length === expected.length && timingSafeEqual(secretHash, expected);
}

function configurationOf(o: ProviderParts): Configuration {
  const { findActiveMember } = o;
  return {
    adapter: o.adapters,
    clients: builtInClients(o.resources.api),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { token_endpoint_auth_method: 'none' },
    // Endpoints called by scripts of other sites use no cookies, so every origin is allowed: a code or token works from any site.
    clientBasedCORS: () => true,
    claims: { openid: ['sub'] },
    scopes: ['openid', 'offline_access'],
    responseTypes: ['code'],
    subjectTypes: ['public'],
    pkce: { required: () => true },
    routes: ROUTES,
    ttl: TTL,
    jwks: { keys: o.keys.published.map(({ privateJwk }) => structuredClone(privateJwk.reveal())) },
    cookies: cookiesOf(o),
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    extraClientMetadata: {
      properties: [SCOPES_PROPERTY, ACCOUNT_PROPERTY],
      validator(_ctx, key, _value, metadata) {
        if (key === SCOPES_PROPERTY && isDocumentId(metadata.client_id)) narrowDocument(metadata);
      },
    },
    features: {
      clientCredentials: { enabled: true },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: () => o.mayFetchDocument(),
        cacheDuration: { min: MINUTE, max: 60 * MINUTE },
      },
      deviceFlow: {
        enabled: true,
        charset: 'base-20',
        mask: '****-****',
        deviceInfo: () => ({}),
        ...deviceFlowPages(o.pages, () => o.currentRequest()?.linkedCode),
      },
      introspection: {
        enabled: true,
        // Only a token's own client may read it, and a public client cannot prove its identity.
        allowedPolicy: (_ctx, client, token) =>
          client.clientAuthMethod !== 'none' && token.clientId === client.clientId,
      },
      registration: {
        enabled: true,
        issueRegistrationAccessToken: false,
        idFactory: o.newClientId,
      },
      resourceIndicators: {
        enabled: true,
        // Tokens are always for one resource, and therefore always JWTs.
        defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? o.resources.api,
        getResourceServerInfo: resourceServerFor(o.resources, o.keys.active.kid),
        useGrantedResource: () => true,
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      devInteractions: OFF,
      dPoP: OFF,
      pushedAuthorizationRequests: OFF,
      rpInitiatedLogout: OFF,
      userinfo: OFF,
    },
    fetch: (url, options) => fetchDocument(o.fetch, url, options),
    fetchResponseBodyLimits: { 'client_id metadata document': MAX_DOCUMENT_BYTES },
    interactions: {
      policy: createPolicy(),
      url: (_ctx, interaction) => interactionPath(interaction.uid),
    },
    async findAccount(_ctx, userId) {
      const member = await findActiveMember(userId);
      return member && { accountId: userId, claims: () => ({ sub: userId }) };
    },
    async extraTokenClaims(_ctx, token) {
      if (token.kind === 'ClientCredentials') return clientClaims(o, token.clientId);
      const member = await findActiveMember(token.accountId);
      if (member === undefined) throw new errors.InvalidGrant('the user may not act in an account');
      return { account_id: member.account.id, user_id: member.user.id, grant_id: token.grantId };
    },
    loadExistingGrant,
    // Grants outlive the session: signing out of this browser does not revoke them.
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    renderError: errorPage(o.pages, () => o.currentRequest()?.exchange.requestId ?? ''),
  };
}

/** Client credentials act as the user chosen by the administrator, as long as that user is active. */
async function clientClaims(
  { findAccountClient, findActiveMember }: ProviderParts,
  clientId: string | undefined,
): Promise<{ readonly account_id: string; readonly user_id: string }> {
  const client = clientId === undefined ? undefined : await findAccountClient(clientId);
  const member = client && (await findActiveMember(client.userId));
  if (client === undefined || member?.account.id !== client.accountId) {
    throw new errors.UnauthorizedClient('the user of the client is not active in its account');
  }
  return { account_id: client.accountId, user_id: client.userId };
}

/**
 * The session cookie is sent to the whole origin; on https the browser also keeps it from other hosts. An interaction's cookies are sent to
 * its own address only.
 */
function cookiesOf({ resources: { issuer }, keys }: ProviderParts): NonNullable<Configuration['cookies']> {
  const secure = new URL(issuer).protocol === 'https:';
  const common = { signed: true, httpOnly: true, sameSite: 'lax', secure, overwrite: true } as const;
  return {
    keys: keys.cookieKeys.map((key) => key.reveal()),
    names: {
      session: `${secure ? '__Host-' : ''}fairlead_session`,
      interaction: `${secure ? '__Secure-' : ''}fairlead_interaction`,
      resume: `${secure ? '__Secure-' : ''}fairlead_resume`,
    },
    long: { ...common, path: '/' },
    short: common,
  };
}

/** Replaces the library's own fetch dispatcher with the guarded one. */
function fetchDocument(
  fetch: typeof globalThis.fetch,
  url: string | URL | Request,
  { signal, redirect }: RequestInit = {},
): Promise<Response> {
  return fetch(url, {
    headers: { accept: 'application/json' },
    ...(signal && { signal }),
    ...(redirect && { redirect }),
  });
}
