import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import { isAvailable, isConnectionless } from '../domain/application.ts';
import type { ApplicationView, SignInClient } from '../domain/application.ts';
import type { CatalogueView } from '../domain/catalogue-view.ts';
import { pageOf } from '../domain/list.ts';
import { searchQuery } from '../domain/search-query.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** Filters and page of the list. An absent filter keeps all; a blank `search` means none. */
export interface ApplicationQuery {
  readonly kind: ApplicationKind | undefined;
  /** Empty: every kind. */
  readonly kinds: readonly ApplicationKind[];
  readonly available: boolean | undefined;
  /** Omits applications that need no connection. */
  readonly omitConnectionless: boolean;
  readonly search: string;
  readonly signInClients: readonly SignInClient[];
  readonly page: Page;
}

/**
 * The applications that the caller sees, by name, or by relevance if there is a search; VALIDATION_ERROR for a search
 * that is too long.
 */
export async function listApplications(
  deps: { readonly catalogue: Catalogue },
  ctx: RequestContext,
  query: ApplicationQuery,
): Promise<CountedPage<ApplicationView>> {
  const found = await applicationsOf(await deps.catalogue.view(ctx), query);
  return pageOf(
    found.filter(
      ({ application, isAvailable }) =>
        (query.kind === undefined || application.connector.kind === query.kind) &&
        (query.kinds.length === 0 || query.kinds.includes(application.connector.kind)) &&
        (query.available === undefined || isAvailable === query.available) &&
        !(query.omitConnectionless && isConnectionless(application.connector)),
    ),
    query.page,
  );
}

async function applicationsOf(
  view: CatalogueView,
  { search, signInClients }: ApplicationQuery,
): Promise<readonly ApplicationView[]> {
  const query = searchQuery(search);
  const hits =
    query === ''
      ? view.applications().map((item) => ({ item, score: undefined }))
      : await view.searchApplications(query);
  return hits.map(({ item, score }) => ({
    application: item,
    isAvailable: isAvailable(item.connector, signInClients),
    score,
  }));
}
