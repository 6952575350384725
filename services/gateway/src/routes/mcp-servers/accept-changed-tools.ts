import { mcpServerRecord, presentMcpServer } from '@fairlead/rest-records/mcp-server';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { mcpServerParams } from './inputs.ts';

export const acceptChangedTools = defineRoute(
  {
    operationId: 'acceptChangedTools',
    method: 'post',
    path: '/admin/v1/mcpservers/{mcpServerToken}/accept-changes',
    tags: ['Administration'],
    summary: 'Accept the changed tools of an MCP server',
    description:
      'All tools in `changedTools` are served as they are now. Only owners and admins may accept changes.',
    services: ['mcpServers', 'resources'],
    permission: 'administration',
    params: mcpServerParams,
    resource: 'MCP server',
    response: mcpServerRecord,
  },
  async ({ ctx, params: { mcpServerToken: tokenHash }, services, nameRecord }) => {
    const answer = await services.mcpServers.acceptChanges(ctx, { tokenHash });
    const server = required(answer.server);
    nameRecord(server.id);
    return presentMcpServer(server, services.resources.mcp);
  },
);
