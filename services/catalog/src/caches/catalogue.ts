import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { createCatalogueView } from '../domain/catalogue-view.ts';
import type { CreateSearchIndex } from '@fairlead/lexical-index/search-index';
import { createApplicationList } from '../domain/application-list.ts';
import type { ApplicationList } from '../domain/application-list.ts';
import type { AccountStore, StoredApplication } from '../ports/account-store.ts';
import type { Catalogue } from '../ports/catalogue.ts';

interface Entry {
  readonly revision: number;
  readonly list: ApplicationList;
  readonly stored: readonly StoredApplication[];
  readonly sizeBytes: number;
}

/**
 * The catalogue in memory: the platform's application list, and the lists of the most recently served accounts, up to `maxBytes` of stored
 * JSON. Each call reads the account's revision from the store, so a list is at least as new as the revision; unchanged applications are not
 * read again. A service that calls without a user sees only the platform's applications.
 */
export function createCatalogue(o: {
  readonly platform: ApplicationList;
  readonly store: Pick<AccountStore, 'revision' | 'list'>;
  readonly createIndex: CreateSearchIndex;
  readonly maxBytes: number;
}): Catalogue {
  // Least recently used first.
  const entries = new Map<string, Entry>();
  let totalBytes = 0;

  function evict(accountId: string): void {
    totalBytes -= entries.get(accountId)?.sizeBytes ?? 0;
    entries.delete(accountId);
  }

  function cache(accountId: string, entry: Entry): void {
    evict(accountId);
    entries.set(accountId, entry);
    totalBytes += entry.sizeBytes;
    for (const oldest of entries.keys()) {
      if (totalBytes <= o.maxBytes) return;
      evict(oldest);
    }
  }

  /** Undefined: the account has no applications of its own. */
  async function listOf(ctx: RequestContext, accountId: string): Promise<ApplicationList | undefined> {
    const revision = await o.store.revision(ctx, accountId);
    if (revision === 0) return undefined;
    const known = entries.get(accountId);
    if (known?.revision === revision) {
      cache(accountId, known);
      return known.list;
    }
    // The list may be newer than the revision. Then the next call loads it again, which is harmless.
    const stored = await o.store.list(ctx, accountId, known?.stored ?? []);
    const applications = stored.map(({ application }) => application);
    const list = createApplicationList(applications, o.createIndex);
    const sizeBytes = stored.reduce((sum, each) => sum + each.sizeBytes, 0);
    cache(accountId, { revision, list, stored, sizeBytes });
    return list;
  }

  return {
    async view(ctx) {
      if (ctx.caller.kind === 'service') return createCatalogueView(o.platform, undefined);
      const accountId = actingAccountOf(ctx);
      return createCatalogueView(o.platform, await listOf(ctx, accountId));
    },
  };
}
