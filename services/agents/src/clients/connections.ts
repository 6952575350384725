import { AgentConnectionService } from '@fairlead/contracts/connections/v1/agent_connection_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import { CREATION_LIMIT_MS } from '../domain/agent.ts';
import { toLicenceMessage } from '../rpc/convert-licence.ts';
import type { Connections } from '../ports/connections.ts';

/** Client of the connections service. */
export function createConnectionsClient(o: RpcClientOptions): Connections {
  const agents = createRpcClient(AgentConnectionService, o);
  return {
    async create(ctx, { licenceStatus, ...same }) {
      const connection = { ...same, licenceStatus: toLicenceMessage(licenceStatus) };
      const { id } = await agents.createAgentConnection(ctx, connection, { timeoutMs: CREATION_LIMIT_MS });
      return id;
    },
    async delete(ctx, creationId) {
      await agents.deleteAgentConnection(ctx, { creationId });
    },
  };
}
