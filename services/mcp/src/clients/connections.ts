import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { ConnectionStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Connections } from '../ports/connections.ts';
import type { UpstreamConnections } from '../ports/upstreams.ts';

/** Client of the connections service. */
export function createConnectionsClient(o: RpcClientOptions): Connections & UpstreamConnections {
  const credentials = createRpcClient(CredentialService, o);
  return {
    async findConnections(ctx, ids) {
      const { connections } = await credentials.findConnections(ctx, { ids: [...ids] });
      return connections.map(({ id, applicationSlug, kind }) => ({
        id,
        applicationSlug,
        isForUsers: kind !== ApplicationKind.MCP_CLIENT && kind !== ApplicationKind.OPA,
      }));
    },
    async findUpstreams(ctx, ids) {
      if (ids.length === 0) return [];
      const { connections } = await credentials.findConnections(ctx, { ids: [...ids] });
      return connections
        .filter(
          ({ kind, status }) =>
            kind === ApplicationKind.MCP_CLIENT && status !== ConnectionStatus.NEEDS_REAUTHENTICATION,
        )
        .map(({ id, applicationSlug }) => ({ connectionId: id, applicationSlug }))
        .sort((a, b) => ids.indexOf(a.connectionId) - ids.indexOf(b.connectionId));
    },
  };
}
