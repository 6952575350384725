import { userOf } from '@fairlead/service-kit/context/context';
import { createCatalogueView } from '../domain/catalogue-view.ts';
import type { Shelf } from '../domain/shelf.ts';
import type { Catalogue } from '../ports/catalogue.ts';
import type { AccountShelves } from './account-shelves.ts';

/** The catalogue over shelves in memory. A service that calls on nobody's behalf sees the platform's applications only. */
export function createCatalogue(platform: Shelf, accounts: AccountShelves): Catalogue {
  return {
    async view(ctx) {
      if (ctx.caller.kind === 'service') return createCatalogueView(platform, undefined);
      return createCatalogueView(platform, await accounts.shelfOf(ctx, userOf(ctx).accountId));
    },
  };
}
