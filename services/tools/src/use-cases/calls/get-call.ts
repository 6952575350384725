import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CallOwner, DetachedCall } from '../../domain/detached-call.ts';
import type { DetachedCalls } from '../../ports/detached-calls.ts';
import type { CallChanges } from '../../ports/running-calls.ts';

export interface GetCallDeps {
  readonly detachedCalls: Pick<DetachedCalls, 'find'>;
  readonly callChanges: Pick<CallChanges, 'watch'>;
}

/** Longest delay if a change message is lost. */
const POLL_MS = 2_000;

/** The call as soon as it has ended or needs an answer, or its state after `waitMs`. NOT_FOUND if the owner has no such call. */
export async function getCall(
  { detachedCalls, callChanges }: GetCallDeps,
  ctx: RequestContext,
  owner: CallOwner,
  { callId, waitMs }: { readonly callId: string; readonly waitMs: number },
): Promise<DetachedCall> {
  const name = { ...owner, callId };
  const until = performance.now() + waitMs;
  for (;;) {
    const watch = callChanges.watch(callId);
    try {
      const call = await detachedCalls.find(ctx, name);
      if (call === undefined) throw notFound('Call');
      const leftMs = until - performance.now();
      if (call.end !== undefined || call.requests.length > 0 || leftMs <= 0) return call;
      await watch.changed(Math.min(leftMs, POLL_MS), ctx.signal);
    } finally {
      watch.end();
    }
  }
}
