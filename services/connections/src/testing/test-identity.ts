import { create } from '@bufbuild/protobuf';
import { AccountSchema } from '@fairlead/contracts/identity/v1/account_pb';
import { CredentialService } from '@fairlead/contracts/identity/v1/credential_service_pb';
import { Role, UserSchema } from '@fairlead/contracts/identity/v1/user_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { addressFor } from '@fairlead/service-kit/testing/peer';

/** Identity over RPC: every account and user exists, and every key is valid, unless a test ends it. */
export interface TestIdentity {
  readonly url: string;
  /** Ends a user or a key. */
  end(id: string): void;
  close(): Promise<void>;
}

export async function startTestIdentity(o: {
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
}): Promise<TestIdentity> {
  const ended = new Set<string>();
  const server = await startRpcServer({
    name: 'identity',
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      GRPC_PORT: 0,
      CALLER_CONTEXT_KEYS: o.callerKeys,
      SHUTDOWN_GRACE_MS: 0,
    },
    log: createLogger({ service: 'test-identity', level: 'silent' }),
    clock: o.clock,
    routes: (router) =>
      router.service(CredentialService, {
        resolveAccounts({ references }, h) {
          requirePlatform(requestContext(h));
          const members = references.map(({ accountId, userId = '', keyId = '' }) => ({
            account: create(AccountSchema, { id: accountId, name: 'Acme', maxConnectionsPerEndUser: 20 }),
            ...(!ended.has(userId) &&
              !ended.has(keyId) && {
                user: create(UserSchema, { id: userId, name: 'Mara', role: Role.MEMBER, isActive: true }),
              }),
          }));
          return { members };
        },
      }),
  });
  return { url: addressFor(server), end: (id) => void ended.add(id), close: () => server.close() };
}
