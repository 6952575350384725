import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { McpServer, OpenedServer, ServerChange } from '../domain/mcp-server.ts';
import type { Secret } from '@fairlead/service-kit/secret';

/** The members of a server by which the gateway admits requests. */
export interface ServerHead {
  readonly serverId: string;
  readonly accountId: string;
  readonly isActive: boolean;
  readonly isAnonymousAllowed: boolean;
}

/** Connections and workflows. */
export interface ServerMembers {
  readonly connectionIds: readonly number[];
  readonly workflowTokens: readonly string[];
}

/** The MCP servers of all accounts. Every method but `locate` is confined to one account. A token is named by its hash. */
export interface ServerStore {
  /** CONFLICT if the account has MAX_SERVERS, whatever is created at the same time. */
  insert(ctx: RequestContext, accountId: string, server: OpenedServer): Promise<void>;
  /** Inserts the account's default server, unless this was done before, also if the server was deleted since. */
  insertDefault(ctx: RequestContext, accountId: string, server: OpenedServer): Promise<void>;
  hasHadDefault(ctx: RequestContext, accountId: string): Promise<boolean>;
  find(ctx: RequestContext, accountId: string, tokenHash: string): Promise<OpenedServer | undefined>;
  findById(ctx: RequestContext, accountId: string, id: string): Promise<McpServer | undefined>;
  /** The server of any account. */
  locate(
    ctx: RequestContext,
    by: { readonly tokenHash: string } | { readonly serverId: string },
  ): Promise<ServerHead | undefined>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<ListPart<OpenedServer>>;
  /** The server as it is then; undefined if there is none. */
  update(
    ctx: RequestContext,
    accountId: string,
    tokenHash: string,
    change: ServerChange,
    now: Date,
  ): Promise<OpenedServer | undefined>;
  /** Gives the server another token, and returns it as it is then; undefined if no server has the former one. */
  rotate(
    ctx: RequestContext,
    accountId: string,
    server: { readonly id: string; readonly tokenHash: string; readonly token: Secret },
    now: Date,
  ): Promise<OpenedServer | undefined>;
  /** Removes connections and workflows from one server, which is returned as it is then; undefined if there is none. */
  removeMembers(
    ctx: RequestContext,
    accountId: string,
    id: string,
    members: ServerMembers,
  ): Promise<OpenedServer | undefined>;
  /** Whether there was one to remove. */
  delete(ctx: RequestContext, accountId: string, tokenHash: string): Promise<boolean>;
  /** The names of the servers that use a connection or a workflow, at most `most`. */
  listUses(
    ctx: RequestContext,
    accountId: string,
    used: { readonly connectionId: number } | { readonly workflowToken: string },
    most: number,
  ): Promise<readonly string[]>;
  /** Removes connections and workflows from every server. */
  removeUses(ctx: RequestContext, accountId: string, members: ServerMembers, now: Date): Promise<void>;
}
