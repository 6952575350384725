import { AsyncLocalStorage } from 'node:async_hooks';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { createReadAccessToken } from '@fairlead/access/access-token';
import { createResources } from '@fairlead/access/resources';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Mount, Page } from '@fairlead/service-kit/http/app';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Provider } from 'oidc-provider';
import type { Member } from '../domain/records.ts';
import type { ArtifactStore } from '../ports/artifact-store.ts';
import type { AttemptBuckets } from '../ports/attempt-buckets.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { SignInStore } from '../ports/credential-store.ts';
import type { GrantStore } from '../ports/grant-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';
import type { SignInEnds } from '../ports/sign-in-ends.ts';
import type { OAuthConfig } from '../oauth-config.ts';
import type { CurrentRequest } from './current-request.ts';
import type { CreateServerPages } from './interactions.ts';
import type { KeySet } from './keys/key-set.ts';
import type { SigningKeys } from './keys/signing-keys.ts';
import { createAdapters } from './provider/adapter.ts';
import { createOidcProvider } from './provider/create-provider.ts';
import { finishAnswers } from './provider/finish-answers.ts';
import { createAnonymousLimits } from './provider/limits.ts';
import { createInteractions } from './provider/provider-interactions.ts';
import { createProviderMount, createServeProvider } from './provider/provider-mount.ts';
import { toProviderRequest } from './provider/provider-request.ts';
import { reportErrors } from './provider/report-errors.ts';
import { createStructuredTokens } from './provider/structured-tokens.ts';
import { orUnavailable } from './provider/unavailable.ts';
import { wellKnownPages } from './well-known-pages.ts';

/** The dependencies of the authorization server. */
export interface AuthorizationServerDeps {
  readonly credentials: Pick<SignInStore, 'findMembershipsOf' | 'findAccountOf'>;
  readonly clients: ClientStore;
  readonly grants: Omit<GrantStore, 'removeOf'>;
  readonly artifacts: Omit<ArtifactStore, 'removeOf'>;
  readonly signInEnds: Pick<SignInEnds, 'isOver'>;
  readonly buckets: Pick<AttemptBuckets, 'take'>;
  readonly signingKeys: SigningKeys;
  readonly changeIdentity: ChangeIdentity;
  readonly createPages: CreateServerPages;
  /** Network address of the client that sent a request. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** The guarded egress, for documents that clients name. */
  readonly fetch: typeof globalThis.fetch;
  /** Base address as clients and browsers see it, without a trailing slash. The host and scheme of a request are ignored. */
  readonly publicUrl: string;
  readonly config: OAuthConfig;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The authorization server (OAuth 2.1; RFC 6749, 7009, 7591, 7636, 7662, 8252, 8414, 8628, 8707, 9068, 9207, 9728). */
export interface AuthorizationServer {
  /** Everything below /oauth. */
  readonly mount: Mount;
  /** The metadata, at the root of the host. */
  readonly pages: readonly Page[];
  /** The active user to whom these cookies belong; undefined if nobody is signed in. */
  readonly findSignedInMember: (cookies: string) => Promise<Member | undefined>;
}

/** Creates the authorization server; all its state is behind the stores, so that replicas are interchangeable. */
export function createAuthorizationServer(deps: AuthorizationServerDeps): AuthorizationServer {
  const { clock, log, clients, signingKeys, config } = deps;
  const resources = createResources(deps.publicUrl);
  const structuredTokens = createStructuredTokens();
  const requests = new AsyncLocalStorage<CurrentRequest>();
  const currentRequest = (): CurrentRequest | undefined => requests.getStore();
  const findActiveMember = (userId: string): Promise<Member | undefined> =>
    orUnavailable(async () => {
      const [member] = await deps.credentials.findMembershipsOf(userId);
      return member;
    });

  const interactions = createInteractions({
    provider: () => provider,
    requestFor: (request) =>
      toProviderRequest(request, { issuer: new URL(resources.issuer), target: '/', body: undefined }),
    findActiveMember,
    resources,
    clock,
  });
  const pages = deps.createPages(interactions);
  const limits = createAnonymousLimits({ buckets: deps.buckets, clients, config });
  const adapters = createAdapters({
    ...deps,
    structuredTokens,
    findAccountOf: (userId) => deps.credentials.findAccountOf(userId),
    findActiveMember,
    currentRequest,
    refreshGraceSeconds: config.OAUTH_REFRESH_GRACE_SECONDS,
  });
  const createReportingProvider = (keys: KeySet): Provider => {
    const provider = createOidcProvider({
      resources,
      keys,
      adapters,
      pages,
      findActiveMember,
      findAccountClient: (clientId) => orUnavailable(() => clients.findAccountClient(clientId)),
      fetch: deps.fetch,
      mayFetchDocument: () => limits.mayFetchDocument(currentRequest()?.address ?? 'unknown'),
      currentRequest,
      newClientId: () => prefixedId('client'),
    });
    reportErrors(provider, log, currentRequest);
    finishAnswers(provider);
    return provider;
  };
  let provider = createReportingProvider(signingKeys.current());
  signingKeys.onChange((keys) => (provider = createReportingProvider(keys)));

  const mountDeps = { pages, requests, addressOf: deps.addressOf };
  const serve = createServeProvider({
    ...mountDeps,
    provider: () => provider,
    limits,
    resources,
    readAccessToken: createReadAccessToken({
      issuer: resources.issuer,
      findKey: (kid) => signingKeys.findPublicKey(kid),
      clock,
    }),
    structuredTokens,
  });
  return {
    mount: createProviderMount(mountDeps, serve),
    pages: wellKnownPages({ resources, serve }),
    async findSignedInMember(cookies) {
      // Never connected: the library only reads the cookies and writes no response.
      const request = new IncomingMessage(new Socket());
      request.headers.cookie = cookies;
      const userId = await interactions.signedInUser(request, new ServerResponse(request));
      return userId === undefined ? undefined : await findActiveMember(userId);
    },
  };
}
