import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { ActiveServer } from '../../ports/active-servers.ts';
import type { FindOfferingDeps } from './find-offering.ts';

/** Capabilities of the server besides tools. An upstream whose lists are unknown counts as having all. */
export async function findUpstreamCapabilities(
  { upstreamLists }: FindOfferingDeps,
  ctx: RequestContext,
  { upstreams }: ActiveServer,
): Promise<Readonly<Record<string, LazyValue>>> {
  const ids = upstreams.map(({ connectionId }) => connectionId);
  const lists = await upstreamLists.find(ctx, ids, 'atOnce');
  return {
    ...(upstreams.length > 0 && { logging: {} }),
    ...(lists.some((it) => it?.hasPrompts ?? true) && { prompts: { listChanged: true } }),
    ...(lists.some((it) => it?.hasResources ?? true) && {
      resources: {
        listChanged: true,
        ...(lists.some((it) => it?.hasSubscriptions ?? true) && { subscribe: true }),
      },
    }),
    ...(lists.some((it) => it?.hasCompletions ?? true) && { completions: {} }),
  };
}
