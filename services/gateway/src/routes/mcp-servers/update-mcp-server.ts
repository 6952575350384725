import { z } from 'zod';
import { mcpServerRecord, presentMcpServer, SCHEMA_FORMS } from '@fairlead/rest-records/mcp-server';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { mcpServerMembers, mcpServerParams } from './inputs.ts';

const body = z
  // Unknown members are refused: a misspelt setting would loosen a limit.
  .strictObject({
    name: mcpServerMembers.name.exactOptional(),
    description: mcpServerMembers.description.exactOptional(),
    isActive: z.boolean().exactOptional(),
    isAnonymousAllowed: z.unknown().optional().describe('Ignored: only the creation of a server sets it.'),
    connections: mcpServerMembers.connections.exactOptional(),
    workflows: mcpServerMembers.workflows.exactOptional(),
    toolsetId: mcpServerMembers.toolsetId.exactOptional(),
    contextBudget: mcpServerMembers.contextBudget.exactOptional(),
    confirmDestructive: mcpServerMembers.confirmDestructive.exactOptional(),
    holdChangedTools: mcpServerMembers.holdChangedTools.exactOptional(),
    schemas: mcpServerMembers.schemas.exactOptional(),
  })
  .meta({ id: 'UpdateMcpServerRequest' });

export const updateMcpServer = defineRoute(
  {
    operationId: 'updateMcpServer',
    method: 'patch',
    path: '/v1/mcpservers/{mcpServerToken}',
    tags: ['McpServers'],
    summary: 'Change an MCP server',
    description:
      'A member that is left out keeps its value; a list replaces the former one. If two changes meet, the last one holds.',
    services: ['mcpServers', 'resources'],
    permission: 'mcpServers.write',
    params: mcpServerParams,
    resource: 'MCP server',
    body,
    response: mcpServerRecord,
  },
  async ({ ctx, params, body: sent, services, nameRecord }) => {
    const { name, description, isActive, connections, workflows } = sent;
    const { toolsetId, contextBudget, confirmDestructive, holdChangedTools, schemas } = sent;
    const answer = await services.mcpServers.updateMcpServer(ctx, {
      tokenHash: params.mcpServerToken,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(isActive !== undefined && { isActive }),
      ...(connections && { connections: { items: connections } }),
      ...(workflows && { workflows: { tokens: workflows } }),
      ...(confirmDestructive !== undefined && { confirmDestructive }),
      ...(holdChangedTools !== undefined && { holdChangedTools }),
      ...(schemas !== undefined && { schemas: SCHEMA_FORMS[schemas] }),
      ...(contextBudget !== undefined && {
        contextBudgetChange:
          contextBudget === null
            ? { case: 'noContextBudget', value: true }
            : { case: 'contextBudget', value: contextBudget },
      }),
      ...(toolsetId !== undefined && {
        toolsetChange:
          toolsetId === null ? { case: 'noToolset', value: true } : { case: 'toolsetId', value: toolsetId },
      }),
    });
    const server = required(answer.server);
    nameRecord(server.id);
    return presentMcpServer(server, services.resources.mcp);
  },
);
