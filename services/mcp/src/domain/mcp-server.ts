import { notFound, validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { isGuid } from '@fairlead/service-kit/ids';
import type { Secret } from '@fairlead/service-kit/secret';

/** A permitted tool of an entry. */
export interface PermittedTool {
  /** The slug as it was sent. */
  readonly toolSlug: string;
  /** Identity of the tool that had the slug when it was saved; absent if the catalogue returned none. */
  readonly identity?: string;
}

/** Selects the connection for an entry's tools: the entry's for everybody, or each user's own. */
export type EntryIdentity = 'shared' | 'user';

/** An entry of a server, as users set it: a connection whose tools are served. */
export interface ServerEntry {
  readonly connectionId: number;
  /** Null: all tools of the application. */
  readonly tools: readonly PermittedTool[] | null;
  readonly identity: EntryIdentity;
}

/** An entry with its connection's application. */
export interface ServerConnection extends ServerEntry {
  readonly applicationSlug: string;
}

/** Dialect of input schemas in the list of tools. */
export type SchemaForm = 'portable' | 'original';

/** The optional settings of a server. */
export interface ServerSettings {
  /** Token budget of the list of tools; null: unlimited. */
  readonly contextBudget: number | null;
  readonly confirmDestructive: boolean;
  /** GUID of the toolset with which every call runs; null: none. If it no longer exists, no call runs. */
  readonly toolsetId: string | null;
  readonly holdChangedTools: boolean;
  readonly schemas: SchemaForm;
}

export const DEFAULT_SETTINGS: ServerSettings = {
  contextBudget: null,
  confirmDestructive: false,
  toolsetId: null,
  holdChangedTools: false,
  schemas: 'portable',
};

/** The members of a server that users set. */
export interface ServerContent<E extends ServerEntry = ServerConnection> {
  readonly name: string;
  /** Empty: none. */
  readonly description: string;
  readonly connections: readonly E[];
  readonly workflowTokens: readonly string[];
  readonly settings: ServerSettings;
}

/** An endpoint that serves tools and workflows of an account. Named tools may no longer exist. */
export interface McpServer extends ServerContent {
  /** A GUID that names the server in places where the token must not appear. */
  readonly id: string;
  readonly isActive: boolean;
  readonly isAnonymousAllowed: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A server with its secret token. */
export interface ServerWithToken extends McpServer {
  readonly token: Secret;
}

/** Returns the server; throws NOT_FOUND if it is undefined. */
export function requiredServer(server: ServerWithToken | undefined): ServerWithToken {
  if (server === undefined) throw notFound('MCP server');
  return server;
}

/** The members to change; an absent one keeps its value, a list replaces the former list. */
export type ServerChange<E extends ServerEntry = ServerConnection> = Partial<
  Omit<ServerContent<E>, 'settings'> & {
    readonly isActive: boolean;
    readonly settings: Partial<ServerSettings>;
  }
>;

/** Maximum number of servers per account. */
export const MAX_SERVERS = 1_000;

/** Maximum number of connections, tools of all connections, and workflows per server. */
export const SERVER_LIMITS = { connections: 100, tools: 1_000, workflows: 100 } as const;

const NAME_MAX_CHARACTERS = 200;
const DESCRIPTION_MAX_CHARACTERS = 2_000;
const MAX_CONTEXT_BUDGET = 10_000_000;

/**
 * The members, with each tool once per entry. VALIDATION_ERROR naming every invalid member, and each duplicate connection or workflow.
 * Source: row completion.mcp-servers.7.
 */
export function checkServer<C extends ServerChange<ServerEntry>>(content: C): C {
  const issues = [...textIssues(content), ...listIssues(content), ...settingIssues(content.settings ?? {})];
  if (issues.length > 0) throw validationError(...issues);
  const { connections } = content;
  return connections === undefined
    ? content
    : { ...content, connections: connections.map(withDistinctTools) };
}

function textIssues({ name, description = '' }: ServerChange<ServerEntry>): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const length = name === undefined ? 1 : Array.from(name).length;
  if (length < 1 || length > NAME_MAX_CHARACTERS)
    issues.push({ field: 'name', issue: `must have 1 to ${NAME_MAX_CHARACTERS} characters` });
  if (Array.from(description).length > DESCRIPTION_MAX_CHARACTERS)
    issues.push({
      field: 'description',
      issue: `must have at most ${DESCRIPTION_MAX_CHARACTERS} characters`,
    });
  return issues;
}

function listIssues({ connections = [], workflowTokens = [] }: ServerChange<ServerEntry>): FieldIssue[] {
  const ids = connections.map(({ connectionId }) => connectionId);
  const toolCount = connections.reduce((sum, { tools }) => sum + (tools?.length ?? 0), 0);
  return [
    ...tooLong('connections', ids.length),
    ...(toolCount > SERVER_LIMITS.tools
      ? [{ field: 'connections', issue: `must name at most ${SERVER_LIMITS.tools} tools in all` }]
      : []),
    ...ids.flatMap((id, index) =>
      Number.isInteger(id) && id >= 1
        ? []
        : [{ field: `connections[${index}].connectionId`, issue: 'must be an integer of 1 or more' }],
    ),
    ...repeated(ids, (index) => `connections[${index}].connectionId`),
    ...tooLong('workflows', workflowTokens.length),
    ...repeated(workflowTokens, (index) => `workflows[${index}].workflowToken`),
  ];
}

function tooLong(field: 'connections' | 'workflows', length: number): FieldIssue[] {
  const most = SERVER_LIMITS[field];
  return length > most ? [{ field, issue: `must have at most ${most} items` }] : [];
}

function repeated(values: readonly unknown[], fieldAt: (index: number) => string): FieldIssue[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) < index ? [{ field: fieldAt(index), issue: 'is named more than once' }] : [],
  );
}

function settingIssues({ contextBudget = null, toolsetId = null }: Partial<ServerSettings>): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (
    contextBudget !== null &&
    !(Number.isInteger(contextBudget) && contextBudget >= 1 && contextBudget <= MAX_CONTEXT_BUDGET)
  )
    issues.push({ field: 'contextBudget', issue: `must be an integer from 1 to ${MAX_CONTEXT_BUDGET}` });
  if (toolsetId !== null && !isGuid(toolsetId)) issues.push({ field: 'toolsetId', issue: 'must be a GUID' });
  return issues;
}

function withDistinctTools<E extends ServerEntry>(entry: E): E {
  const { tools } = entry;
  if (tools === null) return entry;
  return {
    ...entry,
    tools: [...new Set(tools.map(({ toolSlug }) => toolSlug))].map((toolSlug) => ({ toolSlug })),
  };
}
