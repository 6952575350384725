import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { ownerOf } from '../../domain/detached-call.ts';
import type { DetachedCall } from '../../domain/detached-call.ts';
import type { DetachedCalls } from '../../ports/detached-calls.ts';
import type { CallChanges } from '../../ports/running-calls.ts';

export interface CancelCallDeps {
  readonly detachedCalls: Pick<DetachedCalls, 'find' | 'cancel'>;
  readonly callChanges: Pick<CallChanges, 'announce'>;
}

/** Cancels an open call and returns it. NOT_FOUND if the caller has no such call at that server. */
export async function cancelCall(
  { detachedCalls, callChanges }: CancelCallDeps,
  ctx: RequestContext,
  { serverId, callId }: { readonly serverId: string; readonly callId: string },
): Promise<DetachedCall> {
  const name = { ...ownerOf(ctx, serverId), callId };
  if (await detachedCalls.cancel(ctx, name)) callChanges.announce(callId, { isCancelled: true });
  const call = await detachedCalls.find(ctx, name);
  if (call === undefined) throw notFound('Call');
  return call;
}
