import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { TriggerTypeView } from '../domain/application.ts';
import { pageOf } from '../domain/list.ts';
import { searchQuery } from '../domain/search-query.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** Filters and page of the list. An empty `applicationSlug` keeps all; a blank `search` means none. */
export interface TriggerTypeQuery {
  readonly applicationSlug: string;
  readonly search: string;
  readonly page: Page;
}

/**
 * The trigger types that the caller sees, by name, or by relevance if there is a search; VALIDATION_ERROR for a search that
 * is too long.
 */
export async function listTriggerTypes(
  deps: { readonly catalogue: Catalogue },
  ctx: RequestContext,
  { applicationSlug, search, page }: TriggerTypeQuery,
): Promise<CountedPage<TriggerTypeView>> {
  const query = searchQuery(search);
  const view = await deps.catalogue.view(ctx);
  if (query === '') {
    const { items, totalCount } = pageOf(
      view.triggerTypes(applicationSlug === '' ? undefined : applicationSlug),
      page,
    );
    return { items: items.map((item) => ({ ...item, score: undefined })), totalCount };
  }
  const hits = (await view.searchTriggerTypes(query)).filter(
    ({ item }) => applicationSlug === '' || item.application.connector.slug === applicationSlug,
  );
  const { items, totalCount } = pageOf(hits, page);
  return { items: items.map(({ item, score }) => ({ ...item, score })), totalCount };
}
