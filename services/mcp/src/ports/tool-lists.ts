import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { SourceTool } from '../domain/server-tool.ts';

/** A tool of the catalogue with everything that can name it. */
export interface CataloguedTool extends SourceTool {
  readonly aliases: readonly string[];
  readonly identities: readonly string[];
}

/** Selects a tool of an application. */
export interface ToolChoice {
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** Identity to use instead of the slug; undefined: use the slug. */
  readonly identity: string | undefined;
}

/** The tools that a toolset permits, without fixed inputs. */
export interface ToolsetTools {
  readonly connectionIds: readonly number[];
  /** The tools of the catalogue, and the workflows as tools. */
  readonly tools: readonly Pick<SourceTool, 'applicationSlug' | 'toolSlug' | 'inputSchema'>[];
}

/** The tools and workflows of the calling account, in any order; missing ones are omitted. */
export interface ToolLists {
  ofApplications(
    ctx: RequestContext,
    applicationSlugs: readonly string[],
  ): Promise<readonly CataloguedTool[]>;
  chosen(ctx: RequestContext, tools: readonly ToolChoice[]): Promise<readonly CataloguedTool[]>;
  workflows(
    ctx: RequestContext,
    workflowTokens: readonly string[],
  ): Promise<readonly { readonly workflowToken: string; readonly tool: SourceTool }[]>;
  /** Undefined: the toolset does not exist. */
  ofToolset(ctx: RequestContext, toolsetId: string): Promise<ToolsetTools | undefined>;
}
