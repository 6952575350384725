import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ChangedTool, Comparison, ServedDefinition } from '../domain/changed-tools.ts';

/** Names a server of an account. */
export interface ServerName {
  readonly accountId: string;
  readonly serverId: string;
}

export interface StoredDefinition extends ServedDefinition {
  readonly id: string;
}

/** Stores the definitions with which servers serve tools of other MCP servers, for servers that hold changed tools. */
export interface ServedDefinitions {
  list(ctx: RequestContext, of: ServerName): Promise<readonly StoredDefinition[]>;
  /** Stores the results of a comparison. If a tool has got a definition meanwhile, that stays. */
  save(
    ctx: RequestContext,
    of: ServerName,
    found: Pick<Comparison, 'added' | 'changed' | 'restored'>,
    now: Date,
  ): Promise<void>;
  /** Accepts changed definitions; a tool that has changed again since stays held. */
  accept(ctx: RequestContext, of: ServerName, tools: readonly ChangedTool[]): Promise<void>;
  /** Removes definitions of a server; by default all of them. */
  remove(ctx: RequestContext, of: ServerName, ids?: readonly string[]): Promise<void>;
}
