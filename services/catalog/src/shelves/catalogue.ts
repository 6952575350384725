import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { createCatalogueView } from '../domain/catalogue-view.ts';
import type { CreateSearchIndex } from '../domain/search-index.ts';
import { createShelf } from '../domain/shelf.ts';
import type { Shelf } from '../domain/shelf.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Catalogue } from '../ports/catalogue.ts';

interface Entry {
  readonly revision: number;
  readonly shelf: Shelf;
  readonly sizeBytes: number;
}

/**
 * The catalogue over shelves in memory: the platform's, and those of the accounts that were served last, up to `maxBytes` of
 * stored JSON. Every call asks the store for the account's revision, so that a shelf is as new as that answer. A service that
 * calls on nobody's behalf sees the platform's applications only.
 */
export function createCatalogue(o: {
  readonly platform: Shelf;
  readonly store: Pick<AccountStore, 'revision' | 'list'>;
  readonly createIndex: CreateSearchIndex;
  readonly maxBytes: number;
}): Catalogue {
  // In the order of use: the first entry is the one not used for longest.
  const entries = new Map<string, Entry>();
  let totalBytes = 0;

  function forget(accountId: string): void {
    totalBytes -= entries.get(accountId)?.sizeBytes ?? 0;
    entries.delete(accountId);
  }

  function cache(accountId: string, entry: Entry): void {
    forget(accountId);
    entries.set(accountId, entry);
    totalBytes += entry.sizeBytes;
    for (const oldest of entries.keys()) {
      if (totalBytes <= o.maxBytes) return;
      forget(oldest);
    }
  }

  /** Undefined: the account has no applications of its own. */
  async function shelfOf(ctx: RequestContext, accountId: string): Promise<Shelf | undefined> {
    const revision = await o.store.revision(ctx, accountId);
    if (revision === 0) return undefined;
    const known = entries.get(accountId);
    if (known?.revision === revision) {
      cache(accountId, known);
      return known.shelf;
    }
    // What is loaded may be newer than the revision; then the next call loads it again, which does no harm.
    const { applications, sizeBytes } = await o.store.list(ctx, accountId);
    const shelf = createShelf(applications, o.createIndex);
    cache(accountId, { revision, shelf, sizeBytes });
    return shelf;
  }

  return {
    async view(ctx) {
      if (ctx.caller.kind === 'service') return createCatalogueView(o.platform, undefined);
      return createCatalogueView(o.platform, await shelfOf(ctx, userOf(ctx).accountId));
    },
  };
}
