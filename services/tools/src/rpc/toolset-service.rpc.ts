import type { ServiceImpl } from '@connectrpc/connect';
import type { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { createToolset } from '../use-cases/toolsets/create-toolset.ts';
import type { CreateToolsetDeps } from '../use-cases/toolsets/create-toolset.ts';
import { deleteToolset } from '../use-cases/toolsets/delete-toolset.ts';
import type { DeleteToolsetDeps } from '../use-cases/toolsets/delete-toolset.ts';
import { getToolset } from '../use-cases/toolsets/get-toolset.ts';
import { getToolsetTool } from '../use-cases/toolsets/get-toolset-tool.ts';
import type { GetToolsetToolDeps } from '../use-cases/toolsets/get-toolset-tool.ts';
import { listToolsetTools } from '../use-cases/toolsets/list-toolset-tools.ts';
import type { ListToolsetToolsDeps } from '../use-cases/toolsets/list-toolset-tools.ts';
import { listToolsets } from '../use-cases/toolsets/list-toolsets.ts';
import type { ListToolsetsDeps } from '../use-cases/toolsets/list-toolsets.ts';
import { updateToolset } from '../use-cases/toolsets/update-toolset.ts';
import type { UpdateToolsetDeps } from '../use-cases/toolsets/update-toolset.ts';
import {
  fromCreateToolsetRequest,
  fromUpdateToolsetRequest,
  toListedTool,
  toToolset,
} from './convert-toolset.ts';

export type ToolsetServiceDeps = CreateToolsetDeps &
  UpdateToolsetDeps &
  DeleteToolsetDeps &
  ListToolsetToolsDeps &
  GetToolsetToolDeps &
  ListToolsetsDeps;

/** ToolsetService of proto/fairlead/tools/v1 over the use cases. */
export function createToolsetService(deps: ToolsetServiceDeps): ServiceImpl<typeof ToolsetService> {
  return {
    async listToolsets({ page }, h) {
      const { items, ...rest } = await listToolsets(deps, requestContext(h), readPage(page));
      return { items: items.map(toToolset), ...rest };
    },
    async getToolset({ id }, h) {
      return { toolset: toToolset(await getToolset(deps, requestContext(h), id)) };
    },
    async createToolset(request, h) {
      const created = await createToolset(deps, requestContext(h), fromCreateToolsetRequest(request));
      return { toolset: toToolset(created) };
    },
    async updateToolset(request, h) {
      const change = fromUpdateToolsetRequest(request);
      return { toolset: toToolset(await updateToolset(deps, requestContext(h), request.id, change)) };
    },
    async deleteToolset({ id }, h) {
      await deleteToolset(deps, requestContext(h), id);
      return {};
    },
    async listToolsetTools({ id, page }, h) {
      const query = { id, page: readPage(page) };
      const { items, totalCount } = await listToolsetTools(deps, requestContext(h), query);
      return { items: items.map(toListedTool), totalCount };
    },
    async getToolsetTool(request, h) {
      return { tool: toListedTool(await getToolsetTool(deps, requestContext(h), request)) };
    },
  };
}
