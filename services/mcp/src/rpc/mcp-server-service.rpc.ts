import type { ServiceImpl } from '@connectrpc/connect';
import type { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { ServerWithToken } from '../domain/mcp-server.ts';
import { acceptChanges } from '../use-cases/changes/accept-changes.ts';
import type { AcceptChangesDeps } from '../use-cases/changes/accept-changes.ts';
import { listChangedTools } from '../use-cases/changes/list-changed-tools.ts';
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
  RotateTokenDeps &
  AcceptChangesDeps;

/** McpServerService of proto/fairlead/mcp/v1 over the use cases. */
export function createMcpServerService(deps: McpServerServiceDeps): ServiceImpl<typeof McpServerService> {
  const toMessage = async (ctx: RequestContext, server: ServerWithToken) =>
    toMcpServerMessage(server, await listChangedTools(deps, ctx, server));
  return {
    async listMcpServers({ page }, h) {
      const ctx = requestContext(h);
      const { items, ...rest } = await listServers(deps, ctx, readPage(page));
      return { items: await Promise.all(items.map((server) => toMessage(ctx, server))), ...rest };
    },
    async getMcpServer({ tokenHash }, h) {
      const ctx = requestContext(h);
      return { server: await toMessage(ctx, await getServer(deps, ctx, tokenHash)) };
    },
    async createMcpServer(request, h) {
      const ctx = requestContext(h);
      return { server: await toMessage(ctx, await createServer(deps, ctx, fromCreateRequest(request))) };
    },
    async updateMcpServer(request, h) {
      const ctx = requestContext(h);
      const change = fromUpdateRequest(request);
      return { server: await toMessage(ctx, await updateServer(deps, ctx, request.tokenHash, change)) };
    },
    async deleteMcpServer({ tokenHash }, h) {
      await deleteServer(deps, requestContext(h), tokenHash);
      return {};
    },
    async rotateToken({ tokenHash }, h) {
      const ctx = requestContext(h);
      return { server: await toMessage(ctx, await rotateToken(deps, ctx, tokenHash)) };
    },
    async acceptChanges({ tokenHash }, h) {
      const ctx = requestContext(h);
      return { server: await toMessage(ctx, await acceptChanges(deps, ctx, tokenHash)) };
    },
  };
}
