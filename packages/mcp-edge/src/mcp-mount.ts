import type { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { MAX_BODY_BYTES, checkMediaType } from '@fairlead/rest-kit/body';
import { setBudgetHeaders } from '@fairlead/rest-kit/budget';
import type { CallLimits } from '@fairlead/rest-kit/call-limits';
import type { Idempotency } from '@fairlead/rest-kit/idempotency/idempotency';
import type { InProgress } from '@fairlead/rest-kit/in-progress';
import type { LargeBodies } from '@fairlead/rest-kit/large-bodies';
import type { ChangeCacheOptions } from '@fairlead/service-kit/cache/change-cache';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Caller } from '@fairlead/service-kit/context/caller';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { methodNotAllowed } from '@fairlead/service-kit/http/app';
import type { Mount } from '@fairlead/service-kit/http/app';
import { sendPieces } from '@fairlead/service-kit/http/reply';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { AccountCpu } from '@fairlead/service-kit/telemetry/account-cpu';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { MCP_PATH, messagesPath, readAddress } from './addresses.ts';
import { createClientAdmission, noServer } from './client-admission.ts';
import type { AdmittedClient, ClientAdmissionOptions } from './client-admission.ts';
import { createFindServer } from './find-server.ts';
import type { CancellationPipe } from './interaction/running-requests.ts';
import { answerClientPreflight } from './origins.ts';
import type { Origins } from './origins.ts';
import { createPostedMessages, LISTEN_LIMIT_MS } from './posted-messages.ts';
import type { Call } from './posted-messages.ts';
import { acceptsAnswers, acceptsStream } from './posted.ts';
import { createRequestBudget } from './request-budget.ts';
import { NotAcceptableError } from './rpc-errors.ts';
import type { ClientStreams } from './streams/client-streams.ts';
import type { ElicitationNotices } from './streams/elicitation-notices.ts';
import type { TaskNotices } from './streams/task-notices.ts';
import type { ListenMessage } from './streams/followed-resources.ts';
import { ownerOf } from './streams/session-ids.ts';

const METHODS = ['GET', 'POST', 'DELETE'];
const MESSAGE_METHODS = ['POST'];
/** By how much the timeout of the mount exceeds all other timeouts: the error of an expired mount would not be JSON-RPC. */
const RESERVE_MS = 1_000;

/**
 * The endpoints of MCP servers: `/mcp/{token}/mcp`, `/mcp/{token}/sse` and `/mcp/s/{serverId}/mcp`. POST sends a
 * message, GET opens a stream, DELETE ends a session. A message posted at `…/messages` is answered on an HTTP+SSE
 * stream.
 */
export function createMcpMount(
  o: Omit<ClientAdmissionOptions, 'findServer'> & {
    readonly endpoint: Pick<
      RpcClient<typeof EndpointService>,
      'findServer' | 'handleMessage' | 'handleMessageInteractively'
    >;
    /** Subscribes to changes of servers. */
    readonly subscribe: ChangeCacheOptions['subscribe'];
    readonly origins: Origins;
    readonly streams: ClientStreams;
    readonly taskNotices: TaskNotices;
    readonly elicitationNotices: ElicitationNotices;
    readonly limits: CallLimits;
    /** Called for each request within the budgets. */
    readonly countCall: (accountId: string) => void;
    readonly inProgress: InProgress;
    /** Runs tool calls with an idempotency key once. */
    readonly idempotency: Pick<Idempotency, 'run'>;
    readonly largeBodies: LargeBodies;
    readonly accountCpu: Pick<AccountCpu, 'measure'>;
    /** Cancellations of requests that run at other replicas. */
    readonly cancellations: CancellationPipe;
    readonly clock: Clock;
    readonly timers: Timers;
    readonly log: Logger;
    /** Longest time until a client is admitted. */
    readonly dataTimeoutMs: number;
    /** Longest time until the answer, because a message may run a workflow. */
    readonly runTimeoutMs: number;
  },
): Mount {
  const { endpoint, limits, inProgress, streams } = o;
  const findServer = createFindServer({
    clock: o.clock,
    subscribe: o.subscribe,
    find: (server) =>
      endpoint.findServer(
        contextFor({ kind: 'service', service: o.service }, new AbortController().signal),
        { server },
        { timeoutMs: o.dataTimeoutMs },
      ),
  });
  const admit = createClientAdmission({ ...o, findServer });
  const budget = createRequestBudget(o);
  const messages = createPostedMessages({ ...o, budget });

  async function answer(call: Call): Promise<void> {
    const { exchange, request, response } = call;
    const address = readAddress(request.path);
    if (address === undefined) throw noServer();
    exchange.route = address.route;
    o.origins.check(request, response);
    const methods = address.isForMessages ? MESSAGE_METHODS : METHODS;
    if (request.method === 'OPTIONS') {
      answerClientPreflight(response, methods);
      return;
    }
    const client = await exchange.within(o.dataTimeoutMs, () => admit(exchange, request, response, address));
    const { account } = client;
    setBudgetHeaders(response, limits.peek(account));
    if (!methods.includes(request.method)) throw methodNotAllowed(response, methods);
    const visit = inProgress.visit();
    try {
      visit.enter(account.accountId, request);
      if (request.method !== 'POST') {
        await exchange.within(o.dataTimeoutMs, () => serveSession(call, client));
        return;
      }
      checkMediaType(request);
      if (!address.isForMessages && !acceptsAnswers(request)) throw new NotAcceptableError();
      await exchange.within(o.runTimeoutMs, () => messages.handle(call, client, address));
    } finally {
      visit.leave();
    }
  }

  /** Opens a stream, or ends a session. */
  async function serveSession({ exchange, request, response }: Call, client: AdmittedClient): Promise<void> {
    const session = { ctx: exchange.contextFor(client.caller), owner: ownerOf(client) };
    const isEnd = request.method === 'DELETE';
    if (!isEnd && !acceptsStream(request)) throw new NotAcceptableError('text/event-stream');
    await budget.countOne(client.account, response);
    if (isEnd) {
      await streams.end(session, request);
      sendPieces(response, 204, '');
      return;
    }
    const { account, isStillAdmitted, serverId, caller } = client;
    const { accountId } = account;
    const target = {
      accountId,
      isStillAdmitted,
      response,
      messagesPath: messagesPath(request.path),
      listen: (message: ListenMessage, signal: AbortSignal) =>
        endpoint.handleMessageInteractively(
          { ...contextFor(caller, signal), canaries: exchange.canaries },
          { message: { ...message, serverId } },
          { timeoutMs: LISTEN_LIMIT_MS },
        ),
    };
    await streams.open(session, request, target);
  }

  /** The context of a request of our own. */
  function contextFor(caller: Caller, signal: AbortSignal): RequestContext {
    return createRequestContext({ requestId: uuidv7(o.clock.now()), caller, signal, log: o.log });
  }

  return {
    prefix: MCP_PATH,
    timeoutMs: o.runTimeoutMs + RESERVE_MS,
    maxBodyBytes: MAX_BODY_BYTES,
    async handle(exchange, request, response) {
      const call: Call = { exchange, request, response, id: null, answer: undefined };
      await answer(call).catch((error: unknown) => messages.fail(call, error));
    },
  };
}
