import type { ServiceImpl } from '@connectrpc/connect';
import type { AgentConnectionService } from '@fairlead/contracts/connections/v1/agent_connection_service_pb';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { createAgentConnection } from '../use-cases/create-agent-connection.ts';
import { deleteAgentConnection } from '../use-cases/delete-agent-connection.ts';
import { fromLicenceStatus } from './convert-connection.ts';

/** AgentConnectionService of proto/fairlead/connections/v1 over the use cases. */
export function createAgentConnectionService(
  deps: DepsOf<typeof createAgentConnection | typeof deleteAgentConnection>,
): ServiceImpl<typeof AgentConnectionService> {
  return {
    async createAgentConnection({ licenceStatus, ...sent }, h) {
      const command = { ...sent, licenceStatus: fromLicenceStatus(licenceStatus) };
      const { id } = await createAgentConnection(deps, requestContext(h), command);
      return { id };
    },
    async deleteAgentConnection({ creationId }, h) {
      await deleteAgentConnection(deps, requestContext(h), creationId);
      return {};
    },
  };
}
