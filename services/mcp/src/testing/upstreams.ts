import { readUpstreamLists } from '../domain/upstream-lists.ts';
import type { OfferingUpstream } from '../domain/merged-lists.ts';
import type { UpstreamListsJson } from '../domain/upstream-lists.ts';

/** Lists with these items; an absent list is empty. */
export function listsJson(o: {
  readonly prompts?: readonly object[];
  readonly resources?: readonly object[];
  readonly templates?: readonly object[];
  readonly hasCompletions?: boolean;
  readonly hasSubscriptions?: boolean;
}): UpstreamListsJson {
  const { prompts, resources, templates, hasCompletions = true, hasSubscriptions = false } = o;
  const json = (items: readonly object[] = []): Uint8Array => Buffer.from(JSON.stringify(items));
  return {
    prompts: json(prompts),
    resources: json(resources),
    templates: json(templates),
    hasPrompts: prompts !== undefined,
    hasResources: resources !== undefined || templates !== undefined,
    hasCompletions,
    hasSubscriptions,
  };
}

/** The server behind a connection, with these lists. */
export function offering(connectionId: number, lists: Parameters<typeof listsJson>[0]): OfferingUpstream {
  const upstream = { connectionId, applicationSlug: `mcp-${connectionId}` };
  return { upstream, lists: readUpstreamLists(listsJson(lists)) };
}
