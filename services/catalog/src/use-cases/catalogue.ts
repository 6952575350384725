import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { createCatalogueView } from '../domain/catalogue-view.ts';
import type { CatalogueView } from '../domain/catalogue-view.ts';
import type { Shelf } from '../domain/shelf.ts';
import type { AccountShelves } from './account-shelves.ts';

/** The catalogue that the reading use cases look into. */
export interface Catalogue {
  /** What the caller sees: the platform's applications, and those of the caller's account. */
  view(ctx: RequestContext): Promise<CatalogueView>;
}

/** A service that calls on nobody's behalf sees the platform's applications only. */
export function createCatalogue(platform: Shelf, accounts: AccountShelves): Catalogue {
  return {
    async view(ctx) {
      if (ctx.caller.kind === 'service') return createCatalogueView(platform, undefined);
      return createCatalogueView(platform, await accounts.shelfOf(ctx, userOf(ctx).accountId));
    },
  };
}
