import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { notFound } from '@fairlead/errors/api-error';
import { MAX_TOP } from '@fairlead/service-kit/page';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Catalog, NamedTool } from '../ports/catalog.ts';

/** Client of the catalog service's tools. */
export function createCatalogClient(o: RpcClientOptions): Catalog {
  const tools = createRpcClient(ToolService, o);
  return {
    async findTools(ctx, names) {
      const found: NamedTool[] = [];
      for (let offset = 0; ; offset += MAX_TOP) {
        const { items, totalCount } = await tools.listChosenTools(ctx, {
          choice: { case: 'tools', value: { tools: [...names] } },
          page: { offset, top: MAX_TOP },
        });
        found.push(...items);
        if (offset + MAX_TOP >= totalCount) return found;
      }
    },
    async refuseUnknown(ctx, name) {
      await tools.getTool(ctx, name);
      // The tool has appeared meanwhile.
      throw notFound('tool');
    },
  };
}
