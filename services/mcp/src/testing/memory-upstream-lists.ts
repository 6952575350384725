import type { UpstreamListsJson } from '../domain/upstream-lists.ts';
import type { ConnectionName, StoredLists, UpstreamListStore } from '../ports/upstreams.ts';

/** The store in memory; it passes the same suite as the one in MongoDB. `found` counts reads. */
export function memoryUpstreamLists(): UpstreamListStore & { found(): number } {
  const stored = new Map<string, StoredLists & { readonly lists: UpstreamListsJson }>();
  const keyOf = ({ accountId, connectionId }: ConnectionName): string => `${accountId} ${connectionId}`;
  let found = 0;
  return {
    found: () => found,
    find(_ctx, of, knownDigest) {
      const known = stored.get(keyOf(of));
      if (known === undefined) return Promise.resolve(undefined);
      if (known.digest === knownDigest) return Promise.resolve({ ...known, lists: undefined });
      found += 1;
      return Promise.resolve(known);
    },
    save(_ctx, of, { digest, readAt }, lists) {
      stored.set(keyOf(of), { digest, readAt, lists });
      return Promise.resolve();
    },
    touch(_ctx, of, readAt) {
      const known = stored.get(keyOf(of));
      if (known !== undefined) stored.set(keyOf(of), { ...known, readAt });
      return Promise.resolve();
    },
    remove(_ctx, of) {
      stored.delete(keyOf(of));
      return Promise.resolve();
    },
  };
}
