import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** Maximum number of kept pages, and maximum bytes of each. */
const MAX_KEPT_PAGES = 16;
const MAX_KEPT_PAGE_BYTES = 1024 * 1024;

/** A page as a service sends it. */
interface SentPage {
  /** A JSON array. Empty if its digest is the known one. */
  readonly itemsJson: Uint8Array;
  readonly totalCount: number;
  /** Depends on the content of the page only; empty: it is not kept. */
  readonly digest: string;
}

/** Lists records as a service wrote them. */
export interface KeptPages<Q> {
  list(ctx: RequestContext, query: Q): Promise<{ readonly items: LazyJson; readonly totalCount: number }>;
}

/**
 * Creates a list that keeps the pages that were asked for last. The service is asked in each call nevertheless: it names the content of
 * the page that the caller sees by a digest, and sends it only if that is not the kept one.
 */
export function createKeptPages<Q extends object>(
  ask: (ctx: RequestContext, query: Q & { readonly knownDigest: string }) => Promise<SentPage>,
): KeptPages<Q> {
  const kept = new Map<string, { readonly digest: string; readonly items: LazyJson }>();
  return {
    async list(ctx, query) {
      const name = JSON.stringify(query);
      const known = kept.get(name);
      const { itemsJson, totalCount, digest } = await ask(ctx, {
        ...query,
        knownDigest: known?.digest ?? '',
      });
      if (known !== undefined && digest === known.digest) {
        rememberRecent(kept, name, known, MAX_KEPT_PAGES);
        return { items: known.items, totalCount };
      }
      if (digest === '' || itemsJson.length > MAX_KEPT_PAGE_BYTES)
        return { items: new LazyJson(itemsJson), totalCount };
      // A copy, because the bytes are a part of the whole message.
      const items = new LazyJson(Uint8Array.from(itemsJson));
      rememberRecent(kept, name, { digest, items }, MAX_KEPT_PAGES);
      return { items, totalCount };
    },
  };
}
