import { randomBase62 } from '@fairlead/service-kit/ids';
import { testTransport } from '@fairlead/service-kit/testing/peer';
import { testCallerKeysText } from '@fairlead/service-kit/testing/rpc';
import { SERVICE_NAMES, addressVariable } from '@fairlead/service-list/services';
import type { RemoteIdentity } from './remote-identity.ts';

/** The environment of a gateway with its own database; all services but identity are unreachable. It stops without a grace period. */
export function gatewayEnvironment(o: {
  readonly mongodbUri: string;
  readonly natsUrl: string;
  readonly identity: Pick<RemoteIdentity, 'url' | 'pagesUrl'>;
}): Readonly<Record<string, string>> & { readonly MONGODB_DATABASE: string } {
  return {
    MONGODB_URI: o.mongodbUri,
    MONGODB_DATABASE: `test_${randomBase62(16)}`,
    NATS_URL: o.natsUrl,
    CALLER_CONTEXT_KEYS: testCallerKeysText,
    SEALING_KEYS: `v1:${Buffer.alloc(32, 8).toString('base64')}`,
    AUDIT_KEYS: `v1:${Buffer.alloc(32, 9).toString('base64')}`,
    MCP_SESSION_KEYS: `v1:${Buffer.alloc(32, 10).toString('base64')}`,
    // Nothing listens on port 1.
    ...Object.fromEntries(SERVICE_NAMES.map((name) => [addressVariable(name), 'http://127.0.0.1:1'])),
    IDENTITY_URL: o.identity.url,
    IDENTITY_PAGES_URL: o.identity.pagesUrl,
    RPC_TRANSPORT: testTransport,
    PUBLIC_URL: 'http://127.0.0.1:8080/',
    LOG_LEVEL: 'silent',
    DRAIN_DELAY_MS: '0',
  };
}
