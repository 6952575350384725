import type { RequestContext } from '@fairlead/service-kit/context/context';
import { ownerOfResource } from '../../domain/merged-lists.ts';
import type { Upstream } from '../../domain/upstream-lists.ts';
import { findOffering } from './find-offering.ts';
import type { FindOfferingDeps } from './find-offering.ts';

/** Resources of an upstream that supports change notifications. */
export interface FollowedResources {
  readonly upstream: Upstream;
  readonly uris: readonly string[];
}

/**
 * The upstreams to follow for these resources: the owner of each, else the first that supports notifications. Resources without one are
 * left out.
 */
export async function findFollowedResources(
  deps: FindOfferingDeps,
  ctx: RequestContext,
  upstreams: readonly Upstream[],
  uris: readonly string[],
): Promise<readonly FollowedResources[]> {
  if (uris.length === 0) return [];
  const telling = (await findOffering(deps, ctx, upstreams, 'known')).filter(
    ({ lists }) => lists.hasSubscriptions,
  );
  const byUpstream = new Map<Upstream, string[]>();
  for (const uri of uris) {
    const upstream = ownerOfResource(telling, uri) ?? telling[0]?.upstream;
    if (upstream !== undefined) byUpstream.set(upstream, [...(byUpstream.get(upstream) ?? []), uri]);
  }
  return [...byUpstream].map(([upstream, own]) => ({ upstream, uris: own }));
}
