import { z } from 'zod';
import { mcpServerRecord, presentMcpServer, SCHEMA_FORMS } from '@fairlead/rest-records/mcp-server';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { mcpServerMembers } from './inputs.ts';

const body = z
  // Unknown members are refused: a misspelt setting would loosen a limit.
  .strictObject({
    name: mcpServerMembers.name,
    description: mcpServerMembers.description.default(''),
    isAnonymousAllowed: z
      .boolean()
      .default(false)
      .describe('Whether clients without a credential may call. It cannot be changed later.'),
    connections: mcpServerMembers.connections.default([]),
    workflows: mcpServerMembers.workflows.default([]),
    toolsetId: mcpServerMembers.toolsetId.default(null),
    contextBudget: mcpServerMembers.contextBudget.default(null),
    confirmDestructive: mcpServerMembers.confirmDestructive.default(false),
    holdChangedTools: mcpServerMembers.holdChangedTools.default(false),
    schemas: mcpServerMembers.schemas.default('portable'),
  })
  .meta({ id: 'CreateMcpServerRequest' });

export const createMcpServer = defineRoute(
  {
    operationId: 'createMcpServer',
    method: 'post',
    path: '/admin/v1/mcpservers',
    tags: ['Administration'],
    summary: 'Create an MCP server',
    description:
      'An active endpoint that serves the tools of the connections, and the workflows, to MCP clients. Only owners and admins may create one.',
    services: ['mcpServers', 'resources'],
    permission: 'administration',
    resource: 'MCP server',
    body,
    response: mcpServerRecord,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  async ({
    ctx,
    body: { workflows, toolsetId, contextBudget, confirmDestructive, holdChangedTools, schemas, ...sent },
    services,
    nameRecord,
  }) => {
    const answer = await services.mcpServers.createMcpServer(ctx, {
      ...sent,
      workflowTokens: workflows,
      settings: {
        confirmDestructive,
        holdChangedTools,
        schemas: SCHEMA_FORMS[schemas],
        ...(toolsetId !== null && { toolsetId }),
        ...(contextBudget !== null && { contextBudget }),
      },
    });
    const server = required(answer.server);
    nameRecord(server.id);
    return presentMcpServer(server, services.resources.mcp);
  },
);
