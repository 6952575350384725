import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ClientRequests, SentAnswer } from '../../ports/client-requests.ts';
import type { ToolCalls } from '../../ports/tool-calls.ts';

export interface AnswerClientRequestDeps {
  readonly clientRequests: Pick<ClientRequests, 'answer' | 'isOwn'>;
  readonly toolCalls: Pick<ToolCalls, 'answer'>;
}

/** The beginning of the keys of the tools service. */
const TOOLS_PREFIX = 'ask_';

/**
 * Passes on a client's response to a request. A response that nobody waits for, or that another client must give, is dropped.
 * UNAVAILABLE if the replica that waits cannot be reached: the client may send the response again.
 */
export async function answerClientRequest(
  { clientRequests, toolCalls }: AnswerClientRequestDeps,
  ctx: RequestContext,
  serverId: string,
  { key, answer }: { readonly key: string | undefined; readonly answer: SentAnswer },
): Promise<void> {
  if (key === undefined) return;
  try {
    if (clientRequests.isOwn(key)) await clientRequests.answer(ctx, serverId, key, answer);
    else if (key.startsWith(TOOLS_PREFIX)) await toolCalls.answer(ctx, key, answer);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
  }
}
