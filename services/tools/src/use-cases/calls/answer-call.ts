import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { callerIdOf } from '../../domain/caller-id.ts';
import type { CallOwner } from '../../domain/detached-call.ts';
import type { ClientAnswer, ClientRequests } from '../../ports/client-requests.ts';
import type { DetachedCalls } from '../../ports/detached-calls.ts';

export interface AnswerCallDeps {
  readonly detachedCalls: Pick<DetachedCalls, 'find' | 'removeRequests'>;
  readonly clientRequests: Pick<ClientRequests, 'answer'>;
}

/**
 * Delivers answers to pending requests of a call, by key; ignores others. NOT_FOUND if the owner has no such call; UNAVAILABLE if the
 * call's process cannot be reached.
 */
export async function answerCall(
  { detachedCalls, clientRequests }: AnswerCallDeps,
  ctx: RequestContext,
  owner: CallOwner,
  { callId, answers }: { readonly callId: string; readonly answers: ReadonlyMap<string, ClientAnswer> },
): Promise<void> {
  const name = { ...owner, callId };
  const call = await detachedCalls.find(ctx, name);
  if (call === undefined) throw notFound('Call');
  const pending = call.requests.flatMap(({ key }) => {
    const answer = answers.get(key);
    return answer === undefined ? [] : [{ key, answer }];
  });
  if (pending.length === 0) return;
  await Promise.all(
    pending.map(async ({ key, answer }) => {
      try {
        await clientRequests.answer(callerIdOf(ctx), key, answer);
      } catch (error) {
        // The request was answered, or the call has ended.
        if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
      }
    }),
  );
  // Later readers of the call see them as answered.
  await detachedCalls.removeRequests(
    ctx,
    name,
    pending.map(({ key }) => key),
  );
}
