import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ChangedTool, Comparison, ServedDefinition } from '../domain/changed-tools.ts';

/** A server of an account. */
export interface ServerName {
  readonly accountId: string;
  readonly serverId: string;
}

/** A definition as it is stored. */
export interface StoredDefinition extends ServedDefinition {
  readonly id: string;
}

/** The definitions with which servers serve the tools of other MCP servers, for servers that hold changed tools. */
export interface ServedDefinitions {
  list(ctx: RequestContext, of: ServerName): Promise<readonly StoredDefinition[]>;
  /** Stores what a comparison found. A tool that has a definition meanwhile keeps it. */
  save(
    ctx: RequestContext,
    of: ServerName,
    found: Pick<Comparison, 'added' | 'changed' | 'restored'>,
    now: Date,
  ): Promise<void>;
  /** Serves the tools as they have changed; a tool that has changed again since stays held. */
  accept(ctx: RequestContext, of: ServerName, tools: readonly ChangedTool[]): Promise<void>;
  /** Removes definitions of a server, by default all of them. */
  remove(ctx: RequestContext, of: ServerName, ids?: readonly string[]): Promise<void>;
}
