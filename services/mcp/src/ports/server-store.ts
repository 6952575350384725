import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { McpServer, ServerWithToken, ServerChange } from '../domain/mcp-server.ts';
import type { Secret } from '@fairlead/service-kit/secret';

/** The members of a server that decide whether the gateway admits a request. */
export interface ServerHead {
  readonly serverId: string;
  readonly accountId: string;
  readonly isActive: boolean;
  readonly isAnonymousAllowed: boolean;
}

/** Connections and workflows to remove. */
export interface ServerMembers {
  readonly connectionIds: readonly number[];
  readonly workflowTokens: readonly string[];
}

/** Stores MCP servers. Every method but `locate` is limited to one account. Tokens are named by hash. */
export interface ServerStore {
  /** CONFLICT if the account has MAX_SERVERS, also under concurrent creations. */
  insert(ctx: RequestContext, accountId: string, server: ServerWithToken): Promise<void>;
  /** Inserts the account's default server, unless it was ever inserted before, even if deleted since. */
  insertDefault(ctx: RequestContext, accountId: string, server: ServerWithToken): Promise<void>;
  hasHadDefault(ctx: RequestContext, accountId: string): Promise<boolean>;
  find(ctx: RequestContext, accountId: string, tokenHash: string): Promise<ServerWithToken | undefined>;
  findById(ctx: RequestContext, accountId: string, id: string): Promise<McpServer | undefined>;
  /** The server, of any account. */
  locate(
    ctx: RequestContext,
    by: { readonly tokenHash: string } | { readonly serverId: string },
  ): Promise<ServerHead | undefined>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<ListPart<ServerWithToken>>;
  /** Returns the changed server; undefined if there is none. */
  update(
    ctx: RequestContext,
    accountId: string,
    tokenHash: string,
    change: ServerChange,
    now: Date,
  ): Promise<ServerWithToken | undefined>;
  /** Replaces the server's token and returns the server; undefined if no server has the former token. */
  rotate(
    ctx: RequestContext,
    accountId: string,
    server: { readonly id: string; readonly tokenHash: string; readonly token: Secret },
    now: Date,
  ): Promise<ServerWithToken | undefined>;
  /** Removes connections and workflows from one server and returns it; undefined if there is none. */
  removeMembers(
    ctx: RequestContext,
    accountId: string,
    id: string,
    members: ServerMembers,
  ): Promise<ServerWithToken | undefined>;
  /** Returns whether a server was removed. */
  delete(ctx: RequestContext, accountId: string, tokenHash: string): Promise<boolean>;
  /** The names of servers that use a connection or a workflow, at most `most`. */
  listUses(
    ctx: RequestContext,
    accountId: string,
    used: { readonly connectionId: number } | { readonly workflowToken: string },
    most: number,
  ): Promise<readonly string[]>;
  /** Removes connections and workflows from all servers. */
  removeUses(ctx: RequestContext, accountId: string, members: ServerMembers, now: Date): Promise<void>;
}
