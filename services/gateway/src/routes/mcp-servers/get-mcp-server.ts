import { mcpServerRecord, presentMcpServer } from '@fairlead/rest-records/mcp-server';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { mcpServerParams } from './inputs.ts';

export const getMcpServer = defineRoute(
  {
    operationId: 'getMcpServer',
    method: 'get',
    path: '/v1/mcpservers/{mcpServerToken}',
    tags: ['McpServers'],
    summary: 'Get an MCP server',
    services: ['mcpServers', 'resources'],
    permission: 'mcpServers.read',
    params: mcpServerParams,
    resource: 'MCP server',
    response: mcpServerRecord,
  },
  async ({ ctx, params: { mcpServerToken: tokenHash }, services }) => {
    const { server } = await services.mcpServers.getMcpServer(ctx, { tokenHash });
    return presentMcpServer(required(server), services.resources.mcp);
  },
);
