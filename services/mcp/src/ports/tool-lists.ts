import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { SourceTool } from '../domain/served-tool.ts';

/** A tool of the catalogue with everything that names it. */
export interface CataloguedTool extends SourceTool {
  readonly aliases: readonly string[];
  readonly identities: readonly string[];
}

/** One tool of one application. */
export interface ChosenTool {
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** Names the tool in place of its slug; undefined: the slug does. */
  readonly identity: string | undefined;
}

/** The tools that a toolset permits, without the inputs that it fixes. */
export interface ToolsetTools {
  readonly connectionIds: readonly number[];
  /** The tools of the catalogue, and the workflows as tools. */
  readonly tools: readonly Pick<SourceTool, 'applicationSlug' | 'toolSlug' | 'inputSchema'>[];
}

/** The tools and workflows of the calling account, in any order; those that do not exist are left out. */
export interface ToolLists {
  ofApplications(
    ctx: RequestContext,
    applicationSlugs: readonly string[],
  ): Promise<readonly CataloguedTool[]>;
  chosen(ctx: RequestContext, tools: readonly ChosenTool[]): Promise<readonly CataloguedTool[]>;
  workflows(
    ctx: RequestContext,
    workflowTokens: readonly string[],
  ): Promise<readonly { readonly workflowToken: string; readonly tool: SourceTool }[]>;
  /** Undefined: there is no such toolset. */
  ofToolset(ctx: RequestContext, toolsetId: string): Promise<ToolsetTools | undefined>;
}
