import { createReadAccessToken } from '@fairlead/access/access-token';
import { createResources } from '@fairlead/access/resources';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { ModuleResources } from '@fairlead/service-kit/lifecycle/module-resources';
import { createFindBudgets, createFindOpenAccounts } from './accounts.ts';
import type { FindBudgets, FindOpenAccounts } from './accounts.ts';
import { toCallerRefusal } from './caller-service.rpc.ts';
import type { CheckCaller } from './caller-service.rpc.ts';
import { createIdentityClient } from './clients/identity-client.ts';
import { createMcpServerClient } from './clients/mcp-server-client.ts';
import { cacheCredentials, createIdentityCaches } from './credential-caches.ts';
import { subscribeToIdentityChanges } from './events/identity-changes.ts';
import { createKeyUses } from './key-uses.ts';
import type { AccountLookup, SignInLookup } from './ports/credential-lookup.ts';
import { createTokenReader } from './token-reader.ts';
import { createAuthenticate } from './use-cases/authenticate.ts';
import { checkCaller } from './use-cases/check-caller.ts';
import { checkClient } from './use-cases/check-client.ts';
import { createFindVerificationKey } from './verification-keys.ts';

/** The gateway's cached copy of identity's accounts and credentials. */
export interface AuthenticationModule {
  /** Finds the caller of a request to the REST API, or to the address described by `accepted`. */
  readonly authenticate: ReturnType<typeof createAuthenticate>;
  readonly checkCaller: CheckCaller;
  readonly findOpenAccounts: FindOpenAccounts;
  readonly findBudgets: FindBudgets;
  readonly findUserNames: AccountLookup['findUserNames'];
  readonly findSignedInUser: SignInLookup['findSignedInUser'];
  /** Drops the cached data of an account that this process has changed, whether or not NATS delivers the change. */
  readonly dropAccount: (accountId: string) => void;
}

/** Opens authentication by the service at `peer`. */
export function openAuthentication({
  nats,
  clock,
  log,
  closers,
  peer,
  mcpPeer,
  callerKeys,
  publicUrl,
}: Pick<ModuleResources, 'clock' | 'log' | 'closers'> & {
  readonly nats: Pick<Nats, 'subscribe'>;
  readonly peer: RpcPeer;
  /** The service that knows which MCP servers admit clients without a credential. */
  readonly mcpPeer: RpcPeer;
  readonly callerKeys: KeyRing;
  /** Base address as clients see it, without a trailing slash. */
  readonly publicUrl: string;
}): AuthenticationModule {
  const identity = createIdentityClient({ peer, callerKeys, clock, log });
  let dropAccount: AuthenticationModule['dropAccount'] = () => undefined;
  const caches = createIdentityCaches({
    clock,
    subscribe(onChange) {
      dropAccount = onChange;
      return subscribeToIdentityChanges(nats, onChange);
    },
  });
  const resources = createResources(publicUrl);
  const credentials = cacheCredentials(caches, identity);
  const findBudgets = createFindBudgets(caches, identity);
  const mcpServers = createMcpServerClient({ peer: mcpPeer, callerKeys, clock, log });
  const keyUses = createKeyUses({ store: identity, clock, log });
  closers.push('key uses', () => keyUses.close());
  return {
    authenticate: createAuthenticate({
      accepted: { audience: resources.api, isKeyBearer: false },
      credentials,
      tokens: createTokenReader({
        read: createReadAccessToken({
          issuer: resources.issuer,
          findKey: createFindVerificationKey({ list: identity.listVerificationKeys, clock, log }),
          clock,
        }),
        clock,
      }),
      keyUses,
      clock,
    }),
    checkCaller: async (caller) =>
      toCallerRefusal(
        caller.kind === 'user'
          ? await checkCaller({ credentials }, caller)
          : await checkClient({ mcpServers, findBudgets }, caller),
      ),
    findOpenAccounts: createFindOpenAccounts(caches, identity),
    findBudgets,
    findSignedInUser: (cookies) => identity.findSignedInUser(cookies),
    findUserNames: (accountId, userIds) => identity.findUserNames(accountId, userIds),
    dropAccount,
  };
}
