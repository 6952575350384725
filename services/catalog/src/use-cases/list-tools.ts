import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { CataloguedTool, ToolView } from '../domain/application.ts';
import { pageOf } from '../domain/list.ts';
import { searchQuery } from '../domain/search-query.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** Filters and page of the list. An empty `applicationSlug` keeps all; a blank `search` means none. */
export interface ToolQuery {
  readonly applicationSlug: string;
  readonly search: string;
  readonly page: Page;
}

/**
 * The tools that the caller sees, by name, or by relevance if there is a search; VALIDATION_ERROR for a search that is
 * too long.
 */
export async function listTools(
  deps: { readonly catalogue: Catalogue },
  ctx: RequestContext,
  { applicationSlug, search, page }: ToolQuery,
): Promise<CountedPage<ToolView>> {
  const query = searchQuery(search);
  const view = await deps.catalogue.view(ctx);
  if (query === '') {
    const { items, totalCount } = pageOf(
      view.tools(applicationSlug === '' ? undefined : applicationSlug),
      page,
    );
    return { items: items.map((item) => toView(item, undefined)), totalCount };
  }
  const hits = (await view.searchTools(query)).filter(
    ({ item }) => applicationSlug === '' || item.application.connector.slug === applicationSlug,
  );
  const { items, totalCount } = pageOf(hits, page);
  return { items: items.map(({ item, score }) => toView(item, score)), totalCount };
}

function toView({ application, tool }: CataloguedTool, score: number | undefined): ToolView {
  return { application, tool, score };
}
