import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Connections } from '../ports/connections.ts';

/** The connections of the connections service. */
export function createConnectionsClient(o: RpcClientOptions): Connections {
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
  };
}
