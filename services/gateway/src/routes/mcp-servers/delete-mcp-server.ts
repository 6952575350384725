import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { mcpServerParams } from './inputs.ts';

export const deleteMcpServer = defineRoute(
  {
    operationId: 'deleteMcpServer',
    method: 'delete',
    path: '/admin/v1/mcpservers/{mcpServerToken}',
    tags: ['Administration'],
    summary: 'Delete an MCP server',
    description:
      'Its address is gone for good. Its connections and workflows stay. Only owners and admins may delete one.',
    services: ['mcpServers'],
    permission: 'administration',
    params: mcpServerParams,
    resource: 'MCP server',
  },
  async ({ ctx, params: { mcpServerToken: tokenHash }, services, nameRecord }) => {
    const { server } = await services.mcpServers.getMcpServer(ctx, { tokenHash });
    nameRecord(required(server).id);
    await services.mcpServers.deleteMcpServer(ctx, { tokenHash });
    return undefined;
  },
);
