import type { CallingClient, ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { userIdOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { callerIdOf } from '../../domain/caller-id.ts';
import { isClientNotification, isClientRequest } from '../../domain/call-message.ts';
import type { CallMessage } from '../../domain/call-message.ts';
import { ClientMessages } from '../../domain/client-messages.ts';
import type { ClientRequests } from '../../ports/client-requests.ts';

/** The notification that withdraws a request. Source: MCP, "Cancellation". */
const CANCELLED = 'notifications/cancelled';
const NEVER = new AbortController().signal;

export interface ConverseDeps {
  readonly clientRequests: Pick<ClientRequests, 'open'>;
}

/**
 * Runs work for an MCP client. Yields messages for the client, and finally the result. The client's answers arrive through
 * answerClientRequest; unanswered requests are closed when the work ends.
 */
export async function* converse<R>(
  deps: ConverseDeps,
  ctx: RequestContext,
  description: ClientDescription,
  work: (client: CallingClient) => Promise<R>,
): AsyncGenerator<CallMessage<R>> {
  const messages = new ClientMessages();
  const ended = new AbortController();
  const caller = callerIdOf(ctx);
  const client: CallingClient = {
    ...description,
    principal: userIdOf(ctx) ?? undefined,
    notify(method, params) {
      if (isClientNotification(method)) messages.add({ kind: 'notification', method, params });
    },
    async request(method, params, withdrawn = NEVER) {
      if (description.takesInputRequired || !isClientRequest(method))
        throw new Error('The client takes no such request.');
      withdrawn.throwIfAborted();
      const signal = AbortSignal.any([ended.signal, withdrawn]);
      const { key, answer } = deps.clientRequests.open(caller, signal);
      messages.add({ kind: 'request', key, method, params });
      return await answer.finally(() => {
        const notification = { method: CANCELLED, params: { requestId: key } };
        if (withdrawn.aborted) messages.add({ kind: 'notification', ...notification });
      });
    },
  };
  const result = work(client).finally(() => {
    ended.abort();
    messages.end();
  });
  // Awaited below, after the messages are read.
  result.catch(() => undefined);
  yield* messages;
  yield { kind: 'result', result: await result };
}
