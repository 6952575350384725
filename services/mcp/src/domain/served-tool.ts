import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { HeaderArgument } from './header-arguments.ts';

/** Most tools that a server serves, its workflows included: a list is read again whenever something changes. */
export const MAX_SERVED_TOOLS = 2_000;
/** Most bytes of the list of a server's tools, about: a larger list would not fit the share of its account, and be read for each request. */
export const MAX_SERVED_BYTES = 16 * 1024 * 1024;

/** A tool as the catalogue describes it, or a workflow. */
export interface SourceTool {
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** Its own name at the MCP server that it comes from; empty: it comes from none. */
  readonly upstreamName: string;
  /** Name for people. */
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
  /** Undefined: nobody knows them. */
  readonly effects: ToolEffects | undefined;
}

/** Changes that a call of a tool may make. */
export interface ToolEffects {
  readonly isReadOnly: boolean;
  readonly isIdempotent: boolean;
  readonly isDestructive: boolean;
}

/** The thing that a call of a served tool runs. */
export type CallTarget =
  | {
      readonly kind: 'tool';
      readonly applicationSlug: string;
      readonly toolSlug: string;
      /** Undefined: a connection of the calling user's own. */
      readonly connectionId: number | undefined;
    }
  | { readonly kind: 'workflow'; readonly workflowToken: string };

/** A tool as a list shows it. */
export interface ListedTool {
  readonly name: string;
  /** Whether it is neither listed nor called, because its definition has changed. */
  readonly isHeld: boolean;
  /** Its entry in the list. */
  readonly listed: LazyJson;
}

/** A tool of a server, as clients see it. */
export interface ServedTool extends ListedTool {
  readonly target: CallTarget;
  /** Whether it comes from another MCP server. */
  readonly isUpstream: boolean;
  /** Whether a call may destroy something, as far as anybody knows. */
  readonly isDestructive: boolean;
  /** The dialect of the inputs that its listed schema asks for; empty: the tool's own. */
  readonly schemaProfile: string;
  /** The arguments that clients repeat in headers. */
  readonly headerArguments: readonly HeaderArgument[];
}

/** Slug of the application that a tool belongs to; workflows are an application of their own. */
export function applicationOf({ target }: Pick<ServedTool, 'target'>): string {
  return target.kind === 'tool' ? target.applicationSlug : target.kind;
}

/** The tools that the server lists. */
export function visibleTools(tools: ServedTools): readonly ServedTool[] {
  return [...tools.values()].filter(({ isHeld }) => !isHeld);
}

/** The tools of a server, by name. */
export type ServedTools = ReadonlyMap<string, ServedTool>;
