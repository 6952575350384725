import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ToolSummary, ToolSummaryPage } from '../domain/tool-summary.ts';
import type { ToolReference } from '../domain/toolset.ts';

/** The tools of the catalogue that the calling account sees, in list form. */
export interface ToolLists {
  /**
   * The chosen tools that exist, by name, from the zero-based `offset` on; `top` may be any number. With `isReadOnly`, only tools without
   * effects according to the platform's catalogue.
   */
  listChosen(
    ctx: RequestContext,
    choice: (
      { readonly applicationSlugs: readonly string[] } | { readonly tools: readonly ToolReference[] }
    ) & { readonly isReadOnly?: boolean },
    page: { readonly offset: number; readonly top: number },
  ): Promise<ToolSummaryPage>;
  /** The tool; NOT_FOUND, or AMBIGUOUS_TOOL. An empty application slug means any. */
  getTool(ctx: RequestContext, toolSlug: string, applicationSlug: string): Promise<ToolSummary>;
}
