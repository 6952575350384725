import { validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { ownerOf } from '../../domain/detached-call.ts';
import type { DetachedCallView } from '../../domain/detached-call.ts';
import type { DetachedCalls } from '../../ports/detached-calls.ts';

export interface ListCallsDeps {
  readonly detachedCalls: Pick<DetachedCalls, 'list'>;
}

/** A page of the calls of a caller at a server. */
export interface CallPage {
  readonly calls: readonly DetachedCallView[];
  readonly hasMore: boolean;
}

const MAX_LIMIT = 100;

/** The caller's calls at a server, newest first, after the given one (empty: from the newest). */
export async function listCalls(
  { detachedCalls }: ListCallsDeps,
  ctx: RequestContext,
  { serverId, after, limit }: { readonly serverId: string; readonly after: string; readonly limit: number },
): Promise<CallPage> {
  if (limit < 1 || limit > MAX_LIMIT)
    throw validationError({ field: 'limit', issue: `must be 1 to ${MAX_LIMIT}` });
  const page = { after: after === '' ? undefined : after, limit: limit + 1 };
  const calls = await detachedCalls.list(ctx, ownerOf(ctx, serverId), page);
  return { calls: calls.slice(0, limit), hasMore: calls.length > limit };
}
