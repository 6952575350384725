import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { OfferingUpstream } from '../../domain/merged-lists.ts';
import type { Upstream } from '../../domain/upstream-lists.ts';
import type { UpstreamListCache, Wish } from '../../ports/upstreams.ts';

export interface FindOfferingDeps {
  readonly upstreamLists: UpstreamListCache;
}

/** The upstreams with known lists, and these lists (UpstreamListCache.find). */
export async function findOffering(
  { upstreamLists }: FindOfferingDeps,
  ctx: RequestContext,
  upstreams: readonly Upstream[],
  wish: Wish,
): Promise<readonly OfferingUpstream[]> {
  const found = await upstreamLists.find(
    ctx,
    upstreams.map(({ connectionId }) => connectionId),
    wish,
  );
  return upstreams.flatMap((upstream, at) => {
    const lists = found[at];
    return lists === undefined ? [] : [{ upstream, lists }];
  });
}
