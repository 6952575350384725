import { systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Mount, Page } from '@fairlead/service-kit/http/app';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { createSealer, dataKeyCollection, mongoDataKeyStore } from '@fairlead/service-kit/sealing/sealing';
import { Secret } from '@fairlead/service-kit/secret';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { cacheCredentials, createIdentityCaches } from '../identity-cache.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';
import type { IdentityAdministration } from '../identity-administration.ts';
import { credentialRepository } from '../storage/credential.repository.ts';
import { identityCollections } from '../storage/identity-schema.ts';
import { testAdministration } from './administration.ts';
import { createAuthenticate } from '../use-cases/authenticate.ts';
import { createOAuthClient } from 'CROSS:services/gateway/src/routes/admin/create-oauth-client.ts';
import { deleteOAuthClient } from 'CROSS:services/gateway/src/routes/admin/delete-oauth-client.ts';
import { listOAuthClients } from 'CROSS:services/gateway/src/routes/admin/list-oauth-clients.ts';
import { whoami } from 'CROSS:services/gateway/src/routes/auth/whoami.ts';
import { awayServices, collectAudit, startEdge } from 'CROSS:services/gateway/src/testing/edge.ts';
import type { TestEdge } from 'CROSS:services/gateway/src/testing/edge.ts';
import type { OAuthConfig } from '../oauth/config-shape.ts';
import { openSigningKeys } from '../oauth/keys/signing-keys.ts';
import type { SigningKeys } from '../oauth/keys/signing-keys.ts';
import { createOAuthServer } from '../oauth/oauth-server.ts';
import type { OAuthServer } from '../oauth/oauth-server.ts';
import { createInteractionPages } from '../pages/interaction-pages.ts';
import type { InteractionPagesDeps } from '../pages/interaction-pages.ts';
import { attemptBuckets } from '../storage/attempt-buckets.ts';
import { createThrottle } from '../pages/throttle.ts';
import { oauthCollections } from '../storage/oauth-schema.ts';
import { wellKnownPages } from '../oauth/well-known-pages.ts';

/** A person who can sign in, and where they act. */
export interface TestPerson {
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

/** The owner of the stack's account, who has an API key too. */
export interface TestOwner extends TestPerson {
  readonly apiKey: string;
}

/** One replica of a gateway, with whoami and the OAuth clients as its API. */
export interface TestReplica {
  readonly url: string;
  readonly oauth: OAuthServer;
  readonly keys: SigningKeys;
  readonly edge: TestEdge;
}

/** Authorization servers on one database, as replicas have them. */
export interface OAuthStack {
  readonly store: MongoStore;
  readonly identity: IdentityAdministration;
  readonly audit: ReturnType<typeof collectAudit>;
  readonly owner: TestOwner;
  /** The public address of the replicas. */
  readonly publicUrl: string;
  readonly replicas: readonly [TestReplica, ...TestReplica[]];
  close(): Promise<void>;
}

const OWNER_PASSWORD = 'correct horse battery staple';
const CONFIG: OAuthConfig = {
  OAUTH_KEY_ROTATION_DAYS: 90,
  OAUTH_REFRESH_GRACE_SECONDS: 30,
  OAUTH_REGISTRATIONS_PER_HOUR: 1000,
  OAUTH_MAX_UNUSED_CLIENTS: 1000,
  TRUSTED_PROXY_HOPS: 0,
};

/**
 * Starts `replicas` (default 1) gateways on a fresh database, with the real edge, pages, identity and storage. The public
 * address is the first one's, unless another is given. Changes of identity data reach all of them at once.
 */
export async function startOAuthStack(o: {
  readonly mongodbUri: string;
  readonly replicas?: number;
  readonly clock?: Clock;
  readonly config?: Partial<OAuthConfig>;
  readonly publicUrl?: string;
  /** A provider that people may sign in with besides their password. */
  readonly upstream?: (o: {
    readonly store: MongoStore;
    readonly clock: Clock;
  }) => InteractionPagesDeps['upstream'];
  /** Replaces the guarded outbound fetch. */
  readonly fetch?: typeof globalThis.fetch;
}): Promise<OAuthStack> {
  const clock = o.clock ?? systemClock;
  const store = await testStore(o.mongodbUri, [
    ...identityCollections,
    ...oauthCollections,
    dataKeyCollection,
  ]);
  const listeners: ((accountId: string) => void)[] = [];
  const tell = (accountId: string): void => listeners.forEach((listener) => listener(accountId));
  const changeIdentity: ChangeIdentity = async (accountId, write) => {
    tell(accountId);
    try {
      return await write();
    } finally {
      tell(accountId);
    }
  };
  const identity = testAdministration(store, { clock, changeIdentity });
  const audit = collectAudit();
  const log = createLogger({ service: 'gateway', level: 'silent' });
  const keyRing = parseKeyRing(`v1:${Buffer.alloc(32, 5).toString('base64')}`);
  const opened: SigningKeys[] = [];
  let publicUrl = o.publicUrl;

  async function startReplica(): Promise<TestReplica> {
    let oauth: OAuthServer | undefined;
    const made = (): OAuthServer => {
      if (oauth === undefined) throw new Error('The authorization server does not exist yet.');
      return oauth;
    };
    const sealer = createSealer({ keyRing, store: mongoDataKeyStore(store) });
    const keys = await openSigningKeys({ store, sealer, clock, log, rotationDays: 90 });
    opened.push(keys);
    const caches = createIdentityCaches({
      clock,
      subscribe(onChange) {
        listeners.push(onChange);
        return { session: () => 1 };
      },
    });
    const credentials = cacheCredentials(caches, credentialRepository(store));
    const edge = await startEdge({
      routes: [whoami, listOAuthClients, createOAuthClient, deleteOAuthClient],
      services: awayServices({
        // The edge takes a route's services at its creation, before the authorization server exists.
        oauthClients: {
          list: (...args) => made().clients.list(...args),
          create: (...args) => made().clients.create(...args),
          remove: (...args) => made().clients.remove(...args),
        },
      }),
      // Its address is known only once it listens, and the authorization server has to know it.
      mounts: [lateBoundMount(() => made().mount)],
      pages: lateBound(() => made().pages),
      authenticate: createAuthenticate({
        credentials,
        tokens: { verify: (token) => made().tokens.verify(token) },
        keyUses: { note: () => undefined },
        clock,
      }),
    });
    publicUrl ??= edge.url;
    const buckets = attemptBuckets({ store, clock });
    oauth = createOAuthServer({
      store,
      sealer,
      keys,
      clock,
      log: createLogger({ service: 'gateway', level: 'silent' }),
      publicUrl,
      config: { ...CONFIG, ...o.config },
      identity,
      caches,
      changeIdentity,
      audit,
      fetch: o.fetch ?? (() => Promise.reject(new Error('This test must not reach external addresses.'))),
      buckets,
      createPages: createInteractionPages({
        people: identity,
        throttle: createThrottle(buckets),
        signingKeys: () => keys.current().cookieKeys,
        upstream: o.upstream?.({ store, clock }),
        publicUrl,
        addressOf: () => '127.0.0.1',
        clock,
      }),
    });
    return { url: edge.url, oauth, keys, edge };
  }

  const first = await startReplica();
  const others = await Promise.all(Array.from({ length: (o.replicas ?? 1) - 1 }, startReplica));
  const replicas: OAuthStack['replicas'] = [first, ...others];
  const { account, owner, apiKey } = await identity.createAccountWithOwner(testContext(), {
    name: 'One',
    ownerEmail: 'owner@one.example',
    ownerPassword: new Secret(OWNER_PASSWORD),
  });
  return {
    store,
    identity,
    audit,
    owner: {
      accountId: account.id,
      userId: owner.id,
      email: owner.email,
      password: OWNER_PASSWORD,
      apiKey: apiKey.reveal(),
    },
    publicUrl: publicUrl ?? first.url,
    replicas,
    async close() {
      for (const { edge } of replicas) await edge.close();
      for (const keys of opened) await keys.close();
      await store.drop();
    },
  };
}

/** The mount of an authorization server that is created later. */
function lateBoundMount(mount: () => Mount): Mount {
  return {
    prefix: '/oauth',
    get timeoutMs() {
      return mount().timeoutMs;
    },
    get maxBodyBytes() {
      return mount().maxBodyBytes;
    },
    handle: (...args) => mount().handle(...args),
  };
}

/** The pages of an authorization server that is created later; the list of pages does not depend on it. */
function lateBound(pages: () => readonly Page[]): readonly Page[] {
  const shape = wellKnownPages({
    issuer: '',
    resources: { api: '', mcp: '', canonical: () => undefined },
    serve: () => Promise.resolve(),
  });
  return shape.map((page) => ({
    ...page,
    show: (...args) =>
      pages()
        .find(({ path }) => path === page.path)
        ?.show(...args),
  }));
}
