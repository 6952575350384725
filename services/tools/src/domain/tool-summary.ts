import { compareCodePoints, compareText } from '@fairlead/connector-model/text-order';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { NamedTool } from './policy.ts';

/** A tool as displayed in lists. */
export interface ToolSummary extends NamedTool {
  readonly toolName: string;
  readonly description: string;
  readonly category: string;
  readonly applicationSlug: string;
  readonly applicationName: string;
  readonly version: string;
  readonly isDeprecated: boolean;
  /** JSON Schema 2020-12. */
  readonly inputSchema: LazyJson;
  /** JSON Schema 2020-12. */
  readonly outputSchema: LazyJson;
  readonly supportsFilters: boolean;
  readonly supportsSort: boolean;
  readonly supportsTopOffset: boolean;
  readonly maxFilters: number;
  readonly maxSorts: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A page of tools; `totalCount` counts over all pages. */
export interface ToolSummaryPage {
  readonly items: readonly ToolSummary[];
  readonly totalCount: number;
}

/** Order of the catalogue's lists: by name, then by slug, then by application. */
export function compareTools(a: ToolSummary, b: ToolSummary): number {
  return (
    compareText(a.toolName, b.toolName) ||
    compareCodePoints(a.toolSlug, b.toolSlug) ||
    compareCodePoints(a.applicationSlug, b.applicationSlug)
  );
}

/** The part of a long sorted list that is needed to compute a page of it merged with `mergedIn` other tools. */
export function windowOf(
  { offset, top }: { readonly offset: number; readonly top: number },
  mergedIn: number,
): { readonly offset: number; readonly top: number } {
  const start = Math.max(0, offset - mergedIn);
  return { offset: start, top: offset + top - start };
}

/**
 * A page of a long sorted list merged with a few tools. `window` has the long list's items from `window.offset` on, as computed by
 * `windowOf`.
 */
export function mergedPage(
  window: { readonly offset: number; readonly items: readonly ToolSummary[] },
  few: readonly ToolSummary[],
  { offset, top }: { readonly offset: number; readonly top: number },
): readonly ToolSummary[] {
  const [first] = window.items;
  const sorted = few.toSorted(compareTools);
  // Tools sorted before the window are also before the page: the window begins at least their number before it.
  const isBefore = (tool: ToolSummary): boolean =>
    window.offset > 0 && (first === undefined || compareTools(tool, first) < 0);
  const before = sorted.filter(isBefore).length;
  const merged = [...window.items, ...sorted.slice(before)].toSorted(compareTools);
  const skipped = offset - window.offset - before;
  return merged.slice(skipped, skipped + top);
}
