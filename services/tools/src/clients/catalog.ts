import { createConnectorDecoder } from '@fairlead/connector-model/codec';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { TriggerTypeService } from '@fairlead/contracts/catalog/v1/trigger_type_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Catalog, TriggerTypes } from '../ports/catalog.ts';

/** A client of the catalog service for executions. */
export function createCatalogClient(o: RpcClientOptions): Catalog & TriggerTypes {
  const tools = createRpcClient(ToolService, o);
  const applications = createRpcClient(ApplicationService, o);
  const triggerTypes = createRpcClient(TriggerTypeService, o);
  const decoder = createConnectorDecoder();
  return {
    async resolveTool(ctx, toolSlug, applicationSlug) {
      const { candidates } = await tools.resolveTool(ctx, { toolSlug, applicationSlug });
      return candidates.map(({ applicationSlug: slug, encodedDefinition, isPlatform }) => ({
        applicationSlug: slug,
        isPlatform,
        definition: decoder.tool(encodedDefinition),
      }));
    },
    async resolveTriggerType(ctx, slug) {
      const { applicationSlug, encodedDefinition } = await triggerTypes.resolveTriggerType(ctx, { slug });
      return { applicationSlug, ...decoder.triggerType(encodedDefinition) };
    },
    async getConnector(ctx, applicationSlug) {
      const { encodedConnector } = await applications.getConnector(ctx, { applicationSlug });
      return decoder.head(encodedConnector);
    },
  };
}
