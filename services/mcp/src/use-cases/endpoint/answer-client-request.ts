import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ClientRequests, SentAnswer } from '../../ports/client-requests.ts';
import type { ToolCalls } from '../../ports/tool-calls.ts';

export interface AnswerClientRequestDeps {
  readonly clientRequests: Pick<ClientRequests, 'answer' | 'isOwn'>;
  readonly toolCalls: Pick<ToolCalls, 'answer'>;
}

/** Prefix of the tools service's keys. */
const TOOLS_PREFIX = 'ask_';

/**
 * Delivers a client's response to a request. Ignores a response that nothing waits for, or that another client must give. UNAVAILABLE if
 * the waiting replica cannot be reached; the client may send the response again.
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
