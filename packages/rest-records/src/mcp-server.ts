import { SchemaForm } from '@fairlead/contracts/mcp/v1/mcp_server_pb';
import type { McpServer } from '@fairlead/contracts/mcp/v1/mcp_server_pb';
import { z } from 'zod';
import { timestamp } from '@fairlead/rest-kit/fields';
import { nameOf, namesOf } from './enums.ts';
import { presentTime, required } from './values.ts';

/** REST names of the forms of input schemas in a server's list of tools. */
export const SCHEMA_FORMS = {
  portable: SchemaForm.PORTABLE,
  original: SchemaForm.ORIGINAL,
} as const;

/** The form of input schemas in a server's list of tools. */
export const schemaForm = z
  .enum(namesOf(SCHEMA_FORMS))
  .describe(
    'The input schemas in the list of tools. portable: without keywords that model APIs refuse. original: as the tools declare them. Calls are checked against the original ones either way.',
  );

const connection = z
  .strictObject({
    connectionId: z.int32(),
    applicationSlug: z.string(),
    tools: z.array(z.string()).nullable().describe('Tool slugs. Null: every tool of the application.'),
  })
  .meta({ id: 'McpServerConnection' });

/** An MCP server. */
export const mcpServerRecord = z
  .strictObject({
    mcpServerToken: z
      .string()
      .describe(
        'Names the server, and opens its address if it admits anonymous clients. Treat it as a secret.',
      ),
    name: z.string(),
    description: z.string().nullable(),
    url: z.string().describe('The address for MCP clients. It holds the token.'),
    oauthUrl: z.string().describe('An address without the token, for clients that sign in with OAuth.'),
    isActive: z.boolean().describe('False: the endpoint answers as if the server did not exist.'),
    isAnonymousAllowed: z.boolean().describe('Whether clients without a credential may call.'),
    connections: z.array(connection),
    workflows: z.array(z.strictObject({ workflowToken: z.string() }).meta({ id: 'McpServerWorkflow' })),
    toolsetId: z.guid().nullable().describe('Every call runs as with this toolset. Null: none.'),
    schemas: schemaForm,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'McpServer' });

/** An MCP server, whose endpoint is below `mcpUrl`. */
export function presentMcpServer(server: McpServer, mcpUrl: string): z.output<typeof mcpServerRecord> {
  const { id, token, name, description, isActive, isAnonymousAllowed } = server;
  const { toolsetId, schemas } = required(server.settings);
  return {
    mcpServerToken: token,
    name,
    description: description === '' ? null : description,
    url: `${mcpUrl}/${token}/sse`,
    oauthUrl: `${mcpUrl}/s/${id}/mcp`,
    isActive,
    isAnonymousAllowed,
    connections: server.connections.map(({ connectionId, applicationSlug, tools }) => ({
      connectionId,
      applicationSlug,
      tools: tools?.slugs ?? null,
    })),
    workflows: server.workflowTokens.map((workflowToken) => ({ workflowToken })),
    toolsetId: toolsetId ?? null,
    schemas: nameOf(SCHEMA_FORMS, schemas),
    createdAt: presentTime(server.createdAt),
    updatedAt: presentTime(server.updatedAt),
  };
}
