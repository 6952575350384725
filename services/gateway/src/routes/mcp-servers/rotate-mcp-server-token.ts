import { mcpServerRecord, presentMcpServer } from '@fairlead/rest-records/mcp-server';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { mcpServerParams } from './inputs.ts';

export const rotateMcpServerToken = defineRoute(
  {
    operationId: 'rotateMcpServerToken',
    method: 'post',
    path: '/admin/v1/mcpservers/{mcpServerToken}/rotate',
    tags: ['Administration'],
    summary: 'Replace the token of an MCP server',
    description:
      'There is no overlap: the former address opens nothing any more. `oauthUrl` stays. Only owners and admins may replace it.',
    services: ['mcpServers', 'resources'],
    permission: 'administration',
    params: mcpServerParams,
    resource: 'MCP server',
    response: mcpServerRecord,
  },
  async ({ ctx, params: { mcpServerToken: tokenHash }, services, nameRecord }) => {
    const answer = await services.mcpServers.rotateToken(ctx, { tokenHash });
    const server = required(answer.server);
    nameRecord(server.id);
    return presentMcpServer(server, services.resources.mcp);
  },
);
