import type { ServiceImpl } from '@connectrpc/connect';
import type { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { ServerStore } from '../ports/server-store.ts';

export interface EndpointServiceDeps {
  readonly servers: Pick<ServerStore, 'locate'>;
}

/** EndpointService of proto/fairlead/mcp/v1. Only the platform itself may find servers of any account. */
export function createEndpointService({
  servers,
}: EndpointServiceDeps): Pick<ServiceImpl<typeof EndpointService>, 'findServer'> {
  return {
    async findServer({ server }, h) {
      const ctx = requestContext(h);
      requirePlatform(ctx);
      if (server.case === undefined) return {};
      const by = server.case === 'tokenHash' ? { tokenHash: server.value } : { serverId: server.value };
      return (await servers.locate(ctx, by)) ?? {};
    },
  };
}
