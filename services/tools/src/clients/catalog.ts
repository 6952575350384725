import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import type { ConnectorHead, ToolDefinition } from '@fairlead/connector-model/model';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { Secret } from '@fairlead/service-kit/secret';
import type { ExecuteToolDeps } from '../use-cases/execute-tool.ts';

/** The catalog service as executions see it. */
export function createCatalogClient(o: {
  readonly peer: RpcPeer;
  readonly callerKey: Secret;
  readonly clock: Clock;
}): ExecuteToolDeps['catalog'] {
  const tools = createRpcClient(ToolService, o);
  const applications = createRpcClient(ApplicationService, o);
  return {
    async resolveTool(ctx, toolSlug, applicationSlug) {
      const { candidates } = await tools.resolveTool(ctx, { toolSlug, applicationSlug });
      return candidates.map(({ tool, definition }) => {
        if (!tool || !definition) throw new TypeError('The catalog answered a tool without its definition.');
        // The catalogue checked the definition against the model when it took it in; checking it again would be a second
        // owner of the model.
        return { applicationSlug: tool.applicationSlug, definition: definition as unknown as ToolDefinition };
      });
    },
    async getConnector(ctx, applicationSlug) {
      const { connector } = await applications.getConnector(ctx, { applicationSlug });
      if (!connector) throw new TypeError('The catalog answered no connector.');
      // As above: the catalogue owns the check.
      return connector as unknown as ConnectorHead;
    },
  };
}
