import type { CallingClient, ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { userIdOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { callerIdOf } from '../../domain/caller-id.ts';
import { isClientNotification, isClientRequest } from '../../domain/call-message.ts';
import type { CallMessage } from '../../domain/call-message.ts';
import { ClientMessages } from '../../domain/client-messages.ts';
import type { ClientRequests } from '../../ports/client-requests.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';
import { executeCall } from './execute-call.ts';
import type { CallRequest } from './execute-call.ts';

export interface ExecuteInteractivelyDeps extends RunPorts {
  readonly clientRequests: Pick<ClientRequests, 'open'>;
}

/**
 * Executes as executeCall does, for an MCP client. Yields the messages for it while the tool runs, and last the result. The client's
 * answers arrive as answerClientRequest; requests without one are closed when the call ends.
 */
export async function* executeInteractively(
  deps: ExecuteInteractivelyDeps,
  ctx: RequestContext,
  request: CallRequest,
  description: ClientDescription,
): AsyncGenerator<CallMessage> {
  const messages = new ClientMessages();
  const ended = new AbortController();
  const caller = callerIdOf(ctx);
  const client: CallingClient = {
    ...description,
    principal: userIdOf(ctx) ?? undefined,
    notify(method, params) {
      if (isClientNotification(method)) messages.add({ kind: 'notification', method, params });
    },
    async request(method, params) {
      if (description.takesInputRequired || !isClientRequest(method))
        throw new Error('The client takes no such request.');
      const { key, answer } = deps.clientRequests.open(caller, ended.signal);
      messages.add({ kind: 'request', key, method, params });
      return await answer;
    },
  };
  const result = executeCall(deps, ctx, { ...request, client }).finally(() => {
    ended.abort();
    messages.end();
  });
  // It is awaited below, once the messages are read.
  result.catch(() => undefined);
  yield* messages;
  yield { kind: 'result', result: await result };
}
