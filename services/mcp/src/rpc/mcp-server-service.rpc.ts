import type { ServiceImpl } from '@connectrpc/connect';
import type { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { createServer } from '../use-cases/servers/create-server.ts';
import type { CreateServerDeps } from '../use-cases/servers/create-server.ts';
import { deleteServer } from '../use-cases/servers/delete-server.ts';
import type { DeleteServerDeps } from '../use-cases/servers/delete-server.ts';
import { getServer } from '../use-cases/servers/get-server.ts';
import { listServers } from '../use-cases/servers/list-servers.ts';
import type { ListServersDeps } from '../use-cases/servers/list-servers.ts';
import { rotateToken } from '../use-cases/servers/rotate-token.ts';
import type { RotateTokenDeps } from '../use-cases/servers/rotate-token.ts';
import { updateServer } from '../use-cases/servers/update-server.ts';
import type { UpdateServerDeps } from '../use-cases/servers/update-server.ts';
import { fromCreateRequest, fromUpdateRequest, toMcpServerMessage } from './convert-mcp-server.ts';

export type McpServerServiceDeps = ListServersDeps &
  CreateServerDeps &
  UpdateServerDeps &
  DeleteServerDeps &
  RotateTokenDeps;

/** McpServerService of proto/fairlead/mcp/v1 over the use cases. */
export function createMcpServerService(deps: McpServerServiceDeps): ServiceImpl<typeof McpServerService> {
  return {
    async listMcpServers({ page }, h) {
      const { items, ...rest } = await listServers(deps, requestContext(h), readPage(page));
      return { items: items.map(toMcpServerMessage), ...rest };
    },
    async getMcpServer({ tokenHash }, h) {
      return { server: toMcpServerMessage(await getServer(deps, requestContext(h), tokenHash)) };
    },
    async createMcpServer(request, h) {
      const created = await createServer(deps, requestContext(h), fromCreateRequest(request));
      return { server: toMcpServerMessage(created) };
    },
    async updateMcpServer(request, h) {
      const change = fromUpdateRequest(request);
      const updated = await updateServer(deps, requestContext(h), request.tokenHash, change);
      return { server: toMcpServerMessage(updated) };
    },
    async deleteMcpServer({ tokenHash }, h) {
      await deleteServer(deps, requestContext(h), tokenHash);
      return {};
    },
    async rotateToken({ tokenHash }, h) {
      return { server: toMcpServerMessage(await rotateToken(deps, requestContext(h), tokenHash)) };
    },
  };
}
