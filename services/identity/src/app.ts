import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { AccountService } from '@fairlead/contracts/identity/v1/account_service_pb';
import { ApiKeyService } from '@fairlead/contracts/identity/v1/api_key_service_pb';
import { CredentialService } from '@fairlead/contracts/identity/v1/credential_service_pb';
import { OAuthClientService } from '@fairlead/contracts/identity/v1/oauth_client_service_pb';
import { OperatorService } from '@fairlead/contracts/identity/v1/operator_service_pb';
import { UserService } from '@fairlead/contracts/identity/v1/user_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { recordAuditEvent } from '@fairlead/service-kit/changes/audit-events';
import { createChangeHints } from '@fairlead/service-kit/changes/change-hints';
import { createChangeLog } from '@fairlead/service-kit/changes/change-log';
import { createChangeService } from '@fairlead/service-kit/changes/change-service';
import { clientAddressOf } from '@fairlead/service-kit/http/passed-on';
import { openNats, openRpcServer, openStore } from '@fairlead/service-kit/lifecycle/open-resources';
import { openEgress } from '@fairlead/egress/open-egress';
import { openSealing } from '@fairlead/sealing/open-sealing';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import type { IdentityConfig } from './config.ts';
import { announceIdentityChanges } from './events/identity-changes.ts';
import { createAuthorizationServer } from './oauth/authorization-server.ts';
import { openSigningKeys } from './oauth/keys/signing-keys.ts';
import { createInteractionPages } from './pages/interaction-pages.ts';
import { createPeople } from './pages/members.ts';
import { createThrottle } from './pages/throttle.ts';
import { upstreamSettings } from './upstream-config.ts';
import { createUpstreamProvider } from './pages/upstream-provider.ts';
import { argon2Passwords } from './passwords/password.ts';
import { createAccountService } from './rpc/account-service.rpc.ts';
import { createApiKeyService } from './rpc/api-key-service.rpc.ts';
import { createCredentialService } from './rpc/credential-service.rpc.ts';
import { createOAuthClientService } from './rpc/oauth-client-service.rpc.ts';
import { createOperatorService } from './rpc/operator-service.rpc.ts';
import { createUserService } from './rpc/user-service.rpc.ts';
import { createAccountData } from './storage/account-data.ts';
import { accountRepository } from './storage/account.repository.ts';
import { apiKeyRepository } from './storage/api-key.repository.ts';
import { artifactRepository } from './storage/artifact.repository.ts';
import { attemptBuckets } from './storage/attempt-buckets.ts';
import type { RecordAuditEvent } from './storage/audit-events.ts';
import { clientRepository } from './storage/client.repository.ts';
import { credentialRepository } from './storage/credential.repository.ts';
import { grantRepository } from './storage/grant.repository.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';
import { signInEndRepository } from './storage/sign-in-end.repository.ts';
import { upstreamRepository } from './storage/upstream.repository.ts';
import { userRepository } from './storage/user.repository.ts';

/** Longest time to answer a request for metadata. */
const PAGE_TIMEOUT_MS = 8_000;

/** Parts that a test replaces. */
export interface IdentityOverrides extends ServiceOverrides {
  /** Fetches the documents of clients. Default: the guarded egress. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Starts the identity service. If a part cannot start, closes the started parts and throws. */
export function buildApp(config: IdentityConfig, overrides: IdentityOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'identity', config, ...overrides }, async (parts) => {
    const { log, clock, closers } = parts;
    const { PUBLIC_URL: publicUrl } = config;
    const upstream = upstreamSettings(config);
    const store = await openStore(parts, config, schema);
    const nats = await openNats(parts, config);
    const egress = openEgress(parts, config);
    const sealer = await openSealing(parts, config, store, sealedCollections);
    const rotationDays = config.OAUTH_KEY_ROTATION_DAYS;
    const signingKeys = closers.add(
      'signing keys',
      await openSigningKeys({ store, sealer, clock, log, rotationDays }),
    );

    const changeLog = createChangeLog({
      store,
      clock,
      onRecorded: createChangeHints({ nats, service: 'identity', log }),
    });
    const recordEvent: RecordAuditEvent = (session, event) => recordAuditEvent(changeLog, session, event);
    const deps = {
      clock,
      log,
      signingKeys,
      changeIdentity: announceIdentityChanges({ nats, log }),
      passwords: argon2Passwords,
      accounts: accountRepository(store),
      users: userRepository(store),
      apiKeys: apiKeyRepository(store),
      credentials: credentialRepository({ store, clock }),
      clients: clientRepository({ store, recordEvent, clock }),
      grants: grantRepository({ store, recordEvent, clock }),
      artifacts: artifactRepository({ store, sealer, clock }),
      signInEnds: signInEndRepository({ store, clock }),
      buckets: attemptBuckets({ store, clock }),
    };
    const authorizationServer = createAuthorizationServer({
      ...deps,
      createPages: createInteractionPages({
        people: createPeople(deps),
        throttle: createThrottle(deps.buckets),
        signingKeys: () => signingKeys.current().cookieKeys,
        upstream: upstream && {
          provider: createUpstreamProvider({ settings: upstream, clock }),
          store: upstreamRepository({ store, clock }),
        },
        publicUrl,
        addressOf: clientAddressOf,
        clock,
      }),
      addressOf: clientAddressOf,
      fetch: overrides.fetch ?? egress.createFetch(),
      publicUrl,
      config,
    });

    return openRpcServer(
      parts,
      config,
      (router) =>
        router
          .service(AccountService, createAccountService(deps))
          .service(UserService, createUserService(deps))
          .service(ApiKeyService, createApiKeyService(deps))
          .service(OAuthClientService, createOAuthClientService(deps))
          .service(OperatorService, createOperatorService(deps))
          .service(
            CredentialService,
            createCredentialService({ ...deps, findSignedInMember: authorizationServer.findSignedInMember }),
          )
          .service(AccountDataService, createAccountDataService(createAccountData({ ...deps, store })))
          .service(ChangeService, createChangeService(changeLog)),
      {
        http: {
          pages: authorizationServer.pages,
          mounts: [authorizationServer.mount],
          pageTimeoutMs: PAGE_TIMEOUT_MS,
        },
      },
    );
  });
}
