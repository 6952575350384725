import { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { McpServerLookup } from '../ports/mcp-server-lookup.ts';

const LOOKUP_LIMIT_MS = 3_000;

/** Calls the mcp service on the platform's own behalf, because it finds servers of any account. */
export function createMcpServerClient(o: RpcClientOptions & { readonly log: Logger }): McpServerLookup {
  const rpc = createRpcClient(EndpointService, { ...o, defaultTimeoutMs: LOOKUP_LIMIT_MS });
  return {
    async find(serverId) {
      const ctx = createRequestContext({
        requestId: uuidv7(o.clock.now()),
        caller: { kind: 'service', service: 'gateway' },
        signal: new AbortController().signal,
        log: o.log,
      });
      const found = await rpc.findServer(ctx, { server: { case: 'serverId', value: serverId } });
      return found.serverId === '' ? undefined : found;
    },
  };
}
