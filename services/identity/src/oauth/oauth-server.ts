import type { ChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Mount, Page } from '@fairlead/service-kit/http/app';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Sealer } from '@fairlead/service-kit/sealing/sealing';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { Provider } from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AuditLog } from 'CROSS:services/gateway/src/audit/audit-log.ts';
import type { Member } from '../domain/records.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';
import type { IdentityAdministration } from '../identity-administration.ts';
import type { TokenVerifier } from '../ports/token-verifier.ts';
import { createReadAccessToken } from '@fairlead/access/access-token';
import { clientAddress } from './client-address.ts';
import { createOAuthClients } from './clients/oauth-clients.ts';
import type { OAuthClients } from './clients/oauth-clients.ts';
import type { OAuthConfig } from './config-shape.ts';
import { OAUTH_PATH } from './interactions.ts';
import type { CreateServerPages, Interactions } from './interactions.ts';
import type { KeySet } from './keys/key-set.ts';
import type { SigningKeys } from './keys/signing-keys.ts';
import { createLiveness } from './liveness.ts';
import { createOAuthAudit } from './oauth-audit.ts';
import type { AuditContext } from './oauth-audit.ts';
import type { AttemptBuckets } from '../ports/attempt-buckets.ts';
import { createAdapters } from './provider/adapter.ts';
import { createProvider } from './provider/create-provider.ts';
import { finishAnswers } from './provider/finish-answers.ts';
import { createLimits } from './provider/limits.ts';
import { createInteractions } from './provider/provider-interactions.ts';
import { createProviderMount, createServeProvider } from './provider/provider-mount.ts';
import type { RequestNotes } from './provider/provider-mount.ts';
import { toProviderRequest } from './provider/provider-request.ts';
import { reportErrors } from './provider/report-errors.ts';
import { createStructuredTokens } from './provider/structured-tokens.ts';
import { orUnavailable } from './provider/unavailable.ts';
import { createResources } from '@fairlead/access/resources';
import { createRevocations } from './revocation.ts';
import type { OAuthOwner } from './revocation.ts';
import { artifactRepository } from '../storage/artifact.repository.ts';
import { clientRepository } from '../storage/client.repository.ts';
import { grantRepository } from '../storage/grant.repository.ts';
import { signInEndRepository } from '../storage/sign-in-end.repository.ts';
import { createTokenVerifier } from './token-verifier.ts';
import { wellKnownPages } from './well-known-pages.ts';

/** The dependencies of the authorization server. */
export interface OAuthServerDeps {
  /** Its collections hold oauthCollections. */
  readonly store: MongoStore;
  readonly sealer: Sealer;
  readonly keys: SigningKeys;
  readonly clock: Clock;
  readonly log: Logger;
  /** Base address as clients and browsers see it, without a trailing slash. The host and scheme of a request are ignored. */
  readonly publicUrl: string;
  readonly config: OAuthConfig;
  readonly identity: Pick<IdentityAdministration, 'findMember' | 'findMembershipsOf'>;
  readonly caches: ChangeCaches;
  readonly changeIdentity: ChangeIdentity;
  readonly audit: AuditLog;
  /** The guarded egress, for documents that clients name. */
  readonly fetch: typeof globalThis.fetch;
  readonly buckets: Pick<AttemptBuckets, 'take'>;
  readonly createPages: CreateServerPages;
}

/** The authorization server (OAuth 2.1; RFC 6749, 7009, 7591, 7636, 7662, 8252, 8414, 8628, 8707, 9068, 9207, 9728). */
export interface OAuthServer {
  /** Everything below /oauth. */
  readonly mount: Mount;
  /** The metadata, which stands at the root. */
  readonly pages: readonly Page[];
  /** Verifies tokens for the REST API. */
  readonly tokens: TokenVerifier;
  readonly clients: OAuthClients;
  /** Ends the grants and browser sessions of a user, on every replica within two seconds; clients that act as the user remain. */
  endSignInsOf(owner: { readonly accountId: string; readonly userId: string }): Promise<void>;
  /** Erases grants, tokens, browser sessions and clients of an account or a user. May be repeated. */
  eraseOAuthOf(owner: OAuthOwner): Promise<void>;
}

/** Creates the authorization server; all its state is in the database, so that replicas are interchangeable. */
export function createOAuthServer(deps: OAuthServerDeps): OAuthServer {
  const { store, sealer, clock, keys, identity, config } = deps;
  const issuer = deps.publicUrl + OAUTH_PATH;
  const resources = createResources(deps.publicUrl);
  const audit = createOAuthAudit(deps.audit);
  const artifacts = artifactRepository({ store, sealer, clock });
  const grants = grantRepository({ store, clock });
  const clients = clientRepository({ store, clock });
  const signInEnds = signInEndRepository({ store, clock });
  const structuredTokens = createStructuredTokens();

  const findActiveMember = (userId: string): Promise<Member | undefined> =>
    orUnavailable(async () => {
      const members = await identity.findMembershipsOf(userId);
      return members.find(({ account, user }) => user.isActive && account.erasingAt === null);
    });
  const accountOf = async (userId: string): Promise<string | undefined> =>
    (await findActiveMember(userId))?.account.id;

  const revocations = createRevocations({
    grants,
    artifacts,
    clients,
    signInEnds,
    changeIdentity: deps.changeIdentity,
    accountOf,
  });
  const readAccessToken = createReadAccessToken({
    issuer,
    findKey: (kid) => keys.findPublicKey(kid),
    clock,
  });

  const notes = new WeakMap<IncomingMessage, RequestNotes>();
  const addressOf = (request: IncomingMessage): string => clientAddress(request, config.TRUSTED_PROXY_HOPS);
  const limits = createLimits({ buckets: deps.buckets, clients, config });
  /** The request that the library is processing, which it does not pass to its storage. */
  const auditContext = (): AuditContext => {
    const ctx = Provider.ctx;
    const note = ctx === undefined ? undefined : notes.get(ctx.req);
    return note?.exchange ?? { requestId: 'none', log: deps.log };
  };
  const adapters = createAdapters({
    artifacts,
    grants,
    clients,
    revocations,
    signInEnds,
    structuredTokens,
    accountOf,
    clock,
    refreshGraceSeconds: config.OAUTH_REFRESH_GRACE_SECONDS,
    onGrantEnded: (grantId, owner) =>
      // The token endpoint ends a grant for one reason only.
      audit.grantEnded(auditContext(), grantId, owner, Provider.ctx?.oidc.route === 'token'),
    onClientRegistered: (clientId, { redirect_uris: redirectUris = [] }) =>
      audit.clientRegistered(auditContext(), clientId, redirectUris),
  });

  const noteOf = (ctx: KoaContextWithOIDC): RequestNotes | undefined => notes.get(ctx.req);
  const interactions: Interactions = createInteractions({
    provider: () => provider,
    requestFor: (request) =>
      toProviderRequest(request, { issuer: new URL(issuer), target: '/', body: undefined }),
    findActiveMember,
    resources,
    audit,
    clock,
  });
  const pages = deps.createPages(interactions);
  const makeProvider = (keySet: KeySet): Provider => {
    const made = createProvider({
      issuer,
      resources,
      keys: keySet,
      adapters,
      pages,
      findActiveMember,
      findAccountClient: (clientId) => orUnavailable(() => clients.findAccountClient(clientId)),
      fetch: deps.fetch,
      mayFetchDocument: (ctx) => limits.mayFetchDocument(noteOf(ctx)?.address ?? 'unknown'),
      requestIdOf: (ctx) => noteOf(ctx)?.exchange.requestId ?? '',
      linkedCodeOf: (ctx) => noteOf(ctx)?.linkedCode,
      newClientId: () => prefixedId('client'),
    });
    reportErrors(made, deps.log, (ctx) => noteOf(ctx)?.exchange);
    finishAnswers(made);
    return made;
  };
  let provider = makeProvider(keys.current());
  keys.onChange((keySet) => (provider = makeProvider(keySet)));

  const serve = createServeProvider({
    issuer: new URL(issuer),
    provider: () => provider,
    pages,
    notes,
    addressOf,
    limits,
    resources,
    readAccessToken,
    structuredTokens,
  });
  return {
    mount: createProviderMount(pages, serve),
    pages: wellKnownPages({ issuer, resources, serve }),
    tokens: createTokenVerifier({
      audience: resources.api,
      read: readAccessToken,
      isLive: createLiveness(deps.caches, grants),
      clock,
    }),
    clients: createOAuthClients({
      clients,
      identity,
      revokeAll: (...args) => revocations.endClient(...args),
      clock,
    }),
    endSignInsOf: (owner) => revocations.endSignInsOf(owner),
    eraseOAuthOf: (owner) => revocations.eraseOAuthOf(owner),
  };
}
