import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { EntryIdentity, SchemaForm } from '@fairlead/contracts/mcp/v1/mcp_server_pb';
import type {
  McpServerSchema,
  ServerConnection as ConnectionMessage,
  ServerConnectionSchema,
  ServerSettings as SettingsMessage,
  ServerSettingsSchema,
} from '@fairlead/contracts/mcp/v1/mcp_server_pb';
import type {
  CreateMcpServerRequest,
  UpdateMcpServerRequest,
} from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import type { ChangedTool } from '../domain/changed-tools.ts';
import { DEFAULT_SETTINGS } from '../domain/mcp-server.ts';
import type {
  ServerWithToken,
  ServerChange,
  ServerConnection,
  ServerContent,
  ServerEntry,
  ServerSettings,
} from '../domain/mcp-server.ts';

/** The server to create. */
export function fromCreateRequest(
  request: CreateMcpServerRequest,
): ServerContent<ServerEntry> & { readonly isAnonymousAllowed: boolean } {
  const { name, description, isAnonymousAllowed, connections, workflowTokens, settings } = request;
  return {
    name,
    description,
    isAnonymousAllowed,
    connections: connections.map(fromConnection),
    workflowTokens,
    settings: settings === undefined ? DEFAULT_SETTINGS : fromSettings(settings),
  };
}

/** The members to change. */
export function fromUpdateRequest(request: UpdateMcpServerRequest): ServerChange<ServerEntry> {
  const { name, description, isActive, connections, workflows } = request;
  const settings = changedSettings(request);
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(isActive !== undefined && { isActive }),
    ...(connections && { connections: connections.items.map(fromConnection) }),
    ...(workflows && { workflowTokens: workflows.tokens }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

function changedSettings(request: UpdateMcpServerRequest): Partial<ServerSettings> {
  const { confirmDestructive, holdChangedTools, schemas, contextBudgetChange, toolsetChange } = request;
  return {
    ...(confirmDestructive !== undefined && { confirmDestructive }),
    ...(holdChangedTools !== undefined && { holdChangedTools }),
    ...(schemas !== SchemaForm.UNSPECIFIED && { schemas: fromSchemaForm(schemas) }),
    ...(contextBudgetChange.case === 'contextBudget' && { contextBudget: contextBudgetChange.value }),
    ...(contextBudgetChange.case === 'noContextBudget' && { contextBudget: null }),
    ...(toolsetChange.case === 'toolsetId' && { toolsetId: toolsetChange.value }),
    ...(toolsetChange.case === 'noToolset' && { toolsetId: null }),
  };
}

/** Encodes a server, with its held tools. */
export function toMcpServerMessage(
  server: ServerWithToken,
  changedTools: readonly ChangedTool[],
): MessageInitShape<typeof McpServerSchema> {
  const { id, name, description, isActive, isAnonymousAllowed, workflowTokens } = server;
  return {
    id,
    token: server.token.reveal(),
    name,
    description,
    isActive,
    isAnonymousAllowed,
    connections: server.connections.map(toConnection),
    workflowTokens: [...workflowTokens],
    settings: toSettings(server.settings),
    changedTools: changedTools.map(({ applicationSlug, toolSlug, changed }) => ({
      tool: { applicationSlug, toolSlug },
      changedAt: timestampFromDate(changed.at),
    })),
    createdAt: timestampFromDate(server.createdAt),
    updatedAt: timestampFromDate(server.updatedAt),
  };
}

function fromConnection({ connectionId, tools, identity }: ConnectionMessage): ServerEntry {
  return {
    connectionId,
    tools: tools === undefined ? null : tools.slugs.map((toolSlug) => ({ toolSlug })),
    identity: identity === EntryIdentity.USER ? 'user' : 'shared',
  };
}

function toConnection({
  connectionId,
  applicationSlug,
  tools,
  identity,
}: ServerConnection): MessageInitShape<typeof ServerConnectionSchema> {
  return {
    connectionId,
    applicationSlug,
    ...(tools && { tools: { slugs: tools.map(({ toolSlug }) => toolSlug) } }),
    identity: identity === 'user' ? EntryIdentity.USER : EntryIdentity.SHARED,
  };
}

function fromSettings(message: SettingsMessage): ServerSettings {
  const { contextBudget = null, confirmDestructive, toolsetId = null, holdChangedTools, schemas } = message;
  return {
    contextBudget,
    confirmDestructive,
    toolsetId,
    holdChangedTools,
    schemas: fromSchemaForm(schemas),
  };
}

function toSettings({
  contextBudget,
  toolsetId,
  schemas,
  ...same
}: ServerSettings): MessageInitShape<typeof ServerSettingsSchema> {
  return {
    ...same,
    ...(contextBudget !== null && { contextBudget }),
    ...(toolsetId !== null && { toolsetId }),
    schemas: schemas === 'original' ? SchemaForm.ORIGINAL : SchemaForm.PORTABLE,
  };
}

function fromSchemaForm(form: SchemaForm): ServerSettings['schemas'] {
  return form === SchemaForm.ORIGINAL ? 'original' : 'portable';
}
