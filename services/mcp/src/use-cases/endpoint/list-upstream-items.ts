import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { RPC_ERRORS, RpcError, textIn } from '../../endpoint/json-rpc.ts';
import type { RpcParams } from '../../endpoint/json-rpc.ts';
import { itemPage } from '../../domain/item-page.ts';
import { mergedPrompts, mergedResources, mergedTemplates } from '../../domain/merged-lists.ts';
import type { OfferingUpstream } from '../../domain/merged-lists.ts';
import type { ActiveServer } from '../../ports/active-servers.ts';
import { findOffering } from './find-offering.ts';
import type { FindOfferingDeps } from './find-offering.ts';

/** Kinds of lists that a server passes on from upstreams. */
export type UpstreamListKind = 'prompts' | 'resources' | 'resourceTemplates';

const MERGED: Readonly<
  Record<UpstreamListKind, (offering: readonly OfferingUpstream[]) => Iterable<{ json: LazyJson }>>
> = {
  prompts: (offering) => mergedPrompts(offering).values(),
  resources: mergedResources,
  resourceTemplates: mergedTemplates,
};

/** A page of prompts, resources or templates of all upstreams, in the order of the entries. RpcError for an invalid cursor. */
export async function listUpstreamItems(
  deps: FindOfferingDeps,
  ctx: RequestContext,
  { upstreams }: ActiveServer,
  list: UpstreamListKind,
  params: RpcParams,
): Promise<Readonly<Record<string, readonly LazyJson[] | string>>> {
  const cursor = params.has('cursor') ? (textIn(params, 'cursor') ?? '') : undefined;
  const offering = await findOffering(deps, ctx, upstreams, 'fresh');
  const page = itemPage(
    [...MERGED[list](offering)].map(({ json }) => json),
    cursor,
  );
  if (page === undefined)
    throw new RpcError(RPC_ERRORS.invalidParams, 'params.cursor: is not one of this list');
  const { items, nextCursor } = page;
  return { [list]: items, ...(nextCursor !== undefined && { nextCursor }) };
}
