// The part of identity that the gate needs: finds a key's owner in the stack's own database.
import { CredentialService } from '@fairlead/contracts/identity/v1/credential_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { Secret } from '@fairlead/service-kit/secret';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createCredentialService } from '@fairlead-services/identity/rpc/credential-service.rpc';
import { apiKeyRepository } from '@fairlead-services/identity/storage/api-key.repository';
import { credentialRepository } from '@fairlead-services/identity/storage/credential.repository';
import { reportReady } from '../child.ts';
import { callerKeys } from './caller.ts';

// Ends with the process that started it.
process.on('disconnect', () => process.exit());

const [mongodbUri = ''] = process.argv.slice(2);
const log = createLogger({ service: 'identity', level: 'info' });
const store = await connectMongo({
  uri: new Secret(mongodbUri),
  database: 'fairlead_identity',
  log,
  collections: [],
});
const server = await startRpcServer({
  name: 'identity',
  config: {
    HOST: '127.0.0.1',
    PORT: 0,
    GRPC_PORT: 0,
    CALLER_CONTEXT_KEYS: callerKeys,
    SHUTDOWN_GRACE_MS: 1_000,
  },
  log,
  clock: systemClock,
  routes: (router) =>
    router.service(
      CredentialService,
      createCredentialService({
        credentials: credentialRepository({ store, clock: systemClock }),
        apiKeys: apiKeyRepository(store),
        signingKeys: {
          listPublished: () => Promise.reject(new Error('The bench checks its token by its own key.')),
        },
        findSignedInMember: () => Promise.resolve(undefined),
      }),
    ),
});
reportReady({ url: server.httpUrl });
