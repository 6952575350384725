import type { ServerResponse } from 'node:http';
import { CHANNEL_PATH } from '@fairlead/agent-channel/channel';
import { notFound } from '@fairlead/errors/api-error';
import { methodNotAllowed } from '@fairlead/service-kit/http/app';
import type { Mount } from '@fairlead/service-kit/http/app';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { clientAddressOf } from '@fairlead/service-kit/http/passed-on';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { ChannelRefusal } from '../domain/channel-refusal.ts';
import { answerPoll, sayGoodbye, sayHello, sayWho } from './process-requests.ts';
import type { ProcessRequestDeps } from './process-requests.ts';
import { startTask, takeResult } from './task-requests.ts';
import type { TaskRequestDeps } from './task-requests.ts';
import { credentialOf } from './sessions.ts';
import type { RequestBounds } from './request-bounds.ts';
import type { AgentRequest } from './agent-request.ts';

export type ChannelDeps = ProcessRequestDeps & TaskRequestDeps & { readonly bounds: RequestBounds };

/** Longest duration of one request: uploading an archive of logs takes minutes. */
const REQUEST_MS = 600_000;

type Handle = (deps: ChannelDeps, request: AgentRequest, taskId: string) => Promise<void>;

const OPERATIONS: readonly {
  readonly path: RegExp;
  readonly name: string;
  readonly method: string;
  readonly handle: Handle;
}[] = [
  { path: /^\/hello$/, name: '/hello', method: 'POST', handle: sayHello },
  { path: /^\/whoami$/, name: '/whoami', method: 'GET', handle: sayWho },
  { path: /^\/poll$/, name: '/poll', method: 'POST', handle: answerPoll },
  { path: /^\/goodbye$/, name: '/goodbye', method: 'POST', handle: sayGoodbye },
  {
    path: /^\/tasks\/([A-Za-z0-9-]{1,64})\/start$/,
    name: '/tasks/{id}/start',
    method: 'POST',
    handle: startTask,
  },
  {
    path: /^\/tasks\/([A-Za-z0-9-]{1,64})\/result$/,
    name: '/tasks/{id}/result',
    method: 'PUT',
    handle: takeResult,
  },
];

/** The channel through which agents get tasks and deliver results: docs/agent-channel.md. */
export function agentChannel(deps: ChannelDeps): Mount {
  return {
    prefix: CHANNEL_PATH,
    timeoutMs: REQUEST_MS,
    maxBodyBytes: 0,
    async handle(exchange, request, response) {
      const { pathname } = new URL(request.url, 'http://agents');
      const operation = OPERATIONS.find(({ path }) => path.test(pathname));
      if (operation === undefined) throw notFound('route');
      exchange.route = `${CHANNEL_PATH}${operation.name}`;
      exchange.challenge = 'Bearer realm="Fairlead agents"';
      if (request.method !== operation.method) throw methodNotAllowed(response, [operation.method]);
      const ctx = exchange.contextFor({ kind: 'service', service: 'agents' }, { isOpenEnded: true });
      const address = clientAddressOf(request);
      try {
        await deps.bounds.within(address, request.headers.authorization ?? '', async () => {
          const credential = credentialOf(request);
          const [, taskId = ''] = operation.path.exec(pathname) ?? [];
          await operation.handle(deps, { exchange, request, response, ctx, credential }, taskId);
        });
      } catch (error) {
        if (!(error instanceof ChannelRefusal)) throw error;
        sendRefusal(exchange, response, error, deps.clock.now());
      }
    },
  };
}

function sendRefusal(
  { requestId }: Exchange,
  response: ServerResponse,
  { status, errorCode, message }: ChannelRefusal,
  now: Date,
): void {
  sendJson(response, status, { errorCode, message, requestId, timestamp: now.toISOString() });
}
