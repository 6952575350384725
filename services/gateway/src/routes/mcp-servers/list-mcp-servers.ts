import { mcpServerRecord, presentMcpServer } from '@fairlead/rest-records/mcp-server';
import { defineRoute } from '../define-route.ts';
import { wholePage } from '../whole-page.ts';

export const listMcpServers = defineRoute(
  {
    operationId: 'listMcpServers',
    method: 'get',
    path: '/v1/mcpservers',
    tags: ['McpServers'],
    summary: 'List MCP servers',
    description: 'Newest first, those that are not active among them.',
    services: ['mcpServers', 'resources'],
    permission: 'mcpServers.read',
    page: { defaultTop: 100, clamps: true },
    response: mcpServerRecord,
  },
  ({ services, ...call }) =>
    wholePage(
      call,
      (ctx, page) => services.mcpServers.listMcpServers(ctx, { page }),
      (server) => presentMcpServer(server, services.resources.mcp),
    ),
);
