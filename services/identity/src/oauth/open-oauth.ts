import type { AccountData } from '@fairlead/service-kit/account-data';
import type { AuditLog } from 'CROSS:services/gateway/src/audit/audit-log.ts';
import type { IdentityModule } from '../open-identity.ts';
import type { ModuleResources } from 'CROSS:services/gateway/src/module-resources.ts';
import { clientAddress } from './client-address.ts';
import type { OAuthConfig } from './config-shape.ts';
import { openSigningKeys } from './keys/signing-keys.ts';
import type { SigningKeys } from './keys/signing-keys.ts';
import { createOAuthServer } from './oauth-server.ts';
import type { OAuthServer } from './oauth-server.ts';
import { createInteractionPages } from '../pages/interaction-pages.ts';
import { attemptBuckets } from '../storage/attempt-buckets.ts';
import { upstreamStore } from '../storage/upstream-store.ts';
import { createThrottle } from '../pages/throttle.ts';
import { upstreamSettings } from '../pages/upstream-config.ts';
import { createUpstreamProvider } from '../pages/upstream-provider.ts';
import { oauthData } from '../storage/account-data.ts';

/** The authorization server with its pages. */
export interface OAuthModule extends OAuthServer, Pick<SigningKeys, 'rotate'> {
  readonly accountData: AccountData;
}

/** Opens the authorization server with its pages. Rejects if the upstream provider is configured only in part. */
export async function openOAuth({
  store,
  sealer,
  clock,
  log,
  closers,
  config,
  identity,
  audit,
  fetch,
}: ModuleResources & {
  readonly config: OAuthConfig & Parameters<typeof upstreamSettings>[0] & { readonly PUBLIC_URL: string };
  readonly identity: IdentityModule;
  readonly audit: AuditLog;
  /** The guarded egress. */
  readonly fetch: typeof globalThis.fetch;
}): Promise<OAuthModule> {
  const settings = upstreamSettings(config);
  const keys = await openSigningKeys({
    store,
    sealer,
    clock,
    log,
    rotationDays: config.OAUTH_KEY_ROTATION_DAYS,
  });
  closers.push('signing keys', () => keys.close());
  const buckets = attemptBuckets({ store, clock });
  const publicUrl = config.PUBLIC_URL;
  const upstreamSignIns = upstreamStore({ store, clock });
  const server = createOAuthServer({
    store,
    sealer,
    keys,
    clock,
    log,
    publicUrl,
    config,
    identity: identity.administration,
    caches: identity.caches,
    changeIdentity: identity.changeIdentity,
    audit,
    fetch,
    buckets,
    createPages: createInteractionPages({
      people: identity.administration,
      throttle: createThrottle(buckets),
      signingKeys: () => keys.current().cookieKeys,
      upstream: settings && {
        provider: createUpstreamProvider({ settings, clock }),
        store: upstreamSignIns,
      },
      publicUrl,
      addressOf: (request) => clientAddress(request, config.TRUSTED_PROXY_HOPS),
      clock,
    }),
  });
  return {
    ...server,
    rotate: () => keys.rotate(),
    accountData: oauthData({
      store,
      clients: server.clients,
      async erase(accountId) {
        await server.eraseOAuthOf({ accountId });
        await upstreamSignIns.eraseLinks(accountId);
      },
    }),
  };
}
