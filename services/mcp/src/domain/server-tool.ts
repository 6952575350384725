import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { HeaderArgument } from './header-arguments.ts';

/** Maximum number of tools that a server serves, workflows included, because a list is re-read after each change. */
export const MAX_SERVED_TOOLS = 2_000;
/** Approximate maximum size of a server's list of tools, in bytes: a larger list would exceed its account's share of the cache. */
export const MAX_SERVED_BYTES = 16 * 1024 * 1024;

/** A tool of the catalogue, or a workflow. */
export interface SourceTool {
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** The tool's name at its MCP server; empty: it comes from no MCP server. */
  readonly upstreamName: string;
  /** Display name. */
  readonly title: string;
  readonly description: string;
  /** JSON Schema 2020-12. */
  readonly inputSchema: LazyJson;
  /** JSON Schema 2020-12. */
  readonly outputSchema: LazyJson;
  readonly supportsFilters: boolean;
  readonly supportsSort: boolean;
  readonly supportsTopOffset: boolean;
  readonly maxFilters: number;
  readonly maxSorts: number;
  /** Undefined: unknown. */
  readonly effects: ToolEffects | undefined;
}

/** Effects that a call of a tool may have. */
export interface ToolEffects {
  readonly isReadOnly: boolean;
  readonly isIdempotent: boolean;
  readonly isDestructive: boolean;
}

/** The target of a served tool's call. */
export type CallTarget =
  | {
      readonly kind: 'tool';
      readonly applicationSlug: string;
      readonly toolSlug: string;
      /** Undefined: a connection of the calling user. */
      readonly connectionId: number | undefined;
    }
  | { readonly kind: 'workflow'; readonly workflowToken: string };

export interface ToolEntry {
  readonly name: string;
  /** Whether it is neither listed nor callable, because its definition has changed. */
  readonly isHeld: boolean;
  /** The tool's entry in lists. */
  readonly listed: LazyJson;
}

/** A tool of a server, as clients see it. */
export interface ServerTool extends ToolEntry {
  readonly target: CallTarget;
  /** Whether it comes from another MCP server. */
  readonly isUpstream: boolean;
  /** Whether a call may be destructive, as far as known. */
  readonly isDestructive: boolean;
  /** Dialect of its listed input schema; empty: the tool's own. */
  readonly schemaProfile: string;
  /** The arguments that clients repeat in headers. */
  readonly headerArguments: readonly HeaderArgument[];
}

/** Slug of the tool's application; workflows count as one application. */
export function applicationOf({ target }: Pick<ServerTool, 'target'>): string {
  return target.kind === 'tool' ? target.applicationSlug : target.kind;
}

/** The tools that the server lists. */
export function visibleTools(tools: ServerTools): readonly ServerTool[] {
  return [...tools.values()].filter(({ isHeld }) => !isHeld);
}

/** The tools of a server, by name. */
export type ServerTools = ReadonlyMap<string, ServerTool>;
