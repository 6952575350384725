import type { ServiceImpl } from '@connectrpc/connect';
import type { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { getTool } from '../use-cases/get-tool.ts';
import { listChosenTools } from '../use-cases/list-chosen-tools.ts';
import { listTools } from '../use-cases/list-tools.ts';
import { resolveTool } from '../use-cases/resolve-tool.ts';
import { toToolPage } from './convert-tool-record.ts';
import { fromListChosenToolsRequest, fromListToolsRequest, toResolvedTool, toTool } from './convert-tool.ts';

/** ToolService of proto/fairlead/catalog/v1 over the use cases. */
export function createToolService(
  deps: DepsOf<typeof listTools | typeof resolveTool>,
): ServiceImpl<typeof ToolService> {
  return {
    async listTools(request, h) {
      const { items, totalCount } = await listTools(deps, requestContext(h), fromListToolsRequest(request));
      return { items: items.map(toTool), totalCount };
    },
    async listToolRecords(request, h) {
      const { items, totalCount } = await listTools(deps, requestContext(h), fromListToolsRequest(request));
      return { ...toToolPage(items, request.knownDigest), totalCount };
    },
    async listChosenTools(request, h) {
      const chosen = fromListChosenToolsRequest(request);
      const { items, totalCount } = await listChosenTools(deps, requestContext(h), chosen);
      return { items: items.map(toTool), totalCount };
    },
    async getTool({ toolSlug, applicationSlug }, h) {
      return { tool: toTool(await getTool(deps, requestContext(h), toolSlug, applicationSlug)) };
    },
    async resolveTool({ toolSlug, applicationSlug }, h) {
      const tools = await resolveTool(deps, requestContext(h), toolSlug, applicationSlug);
      return { candidates: tools.map(toResolvedTool) };
    },
  };
}
