import type { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { MAX_BODY_BYTES, checkMediaType, readBody } from '@fairlead/rest-kit/body';
import { budgetSpent, setBudgetHeaders, takeCall } from '@fairlead/rest-kit/budget';
import type { CallLimits, LimitedAccount, Verdict } from '@fairlead/rest-kit/call-limits';
import { IDEMPOTENCY_REPLAYED } from '@fairlead/rest-kit/idempotency-key';
import type { Idempotency } from '@fairlead/rest-kit/idempotency/idempotency';
import type { InProgress } from '@fairlead/rest-kit/in-progress';
import type { LargeBodies } from '@fairlead/rest-kit/large-bodies';
import type { ChangeCacheOptions } from '@fairlead/service-kit/cache/change-cache';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { methodNotAllowed } from '@fairlead/service-kit/http/app';
import type { Mount } from '@fairlead/service-kit/http/app';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { sendPieces } from '@fairlead/service-kit/http/reply';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { AccountCpu } from '@fairlead/service-kit/telemetry/account-cpu';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Request, Response } from 'express';
import { orOutcomeUnknown } from '@fairlead/service-kit/rpc/outcome-unknown';
import { MCP_PATH, messagesPath, readAddress } from './addresses.ts';
import type { McpAddress } from './addresses.ts';
import { createClientAdmission, noServer } from './client-admission.ts';
import type { AdmittedClient, ClientAdmissionOptions } from './client-admission.ts';
import { createFindServer } from './find-server.ts';
import { createCallOnce } from './idempotent-calls.ts';
import { answerClientPreflight } from './origins.ts';
import type { Origins } from './origins.ts';
import { paramHeadersOf } from './param-headers.ts';
import { acceptsAnswers, acceptsStream, isResult, readPosted } from './posted.ts';
import type { Posted, RpcId } from './posted.ts';
import { NotAcceptableError, rpcErrorText, sendRpcError } from './rpc-errors.ts';
import type { ClientStreams } from './streams/client-streams.ts';
import type { SessionOwner } from './streams/session-ids.ts';
import { NoSessionError, SESSION_HEADER } from './streams/sessions.ts';

const METHODS = ['GET', 'POST', 'DELETE'];
const MESSAGE_METHODS = ['POST'];
/** Longest wait of a large body for its place. */
const LARGE_WAIT_MS = 20_000;
/** The mount's own deadline never comes first: its error is no JSON-RPC error. */
const RESERVE_MS = 1_000;

/** A posted message, and what is known of it so far. */
interface Call {
  readonly exchange: Exchange;
  readonly request: Request;
  readonly response: Response;
  id: RpcId;
}

/**
 * The addresses of MCP servers: `/mcp/{token}/mcp`, the same at `…/sse`, and `/mcp/s/{serverId}/mcp`. POST takes a message, GET opens
 * a stream, DELETE ends a session. POST at `…/messages` takes one that is answered on a stream of HTTP+SSE.
 */
export function createMcpMount(
  o: Omit<ClientAdmissionOptions, 'findServer'> & {
    readonly endpoint: Pick<RpcClient<typeof EndpointService>, 'findServer' | 'handleMessage'>;
    /** To changes of servers. */
    readonly subscribe: ChangeCacheOptions['subscribe'];
    readonly origins: Origins;
    readonly streams: ClientStreams;
    readonly limits: CallLimits;
    /** Called for each request that the budgets admit. */
    readonly countCall: (accountId: string) => void;
    readonly inProgress: InProgress;
    /** Runs tool calls with a key once. */
    readonly idempotency: Pick<Idempotency, 'run'>;
    readonly largeBodies: LargeBodies;
    readonly accountCpu: Pick<AccountCpu, 'measure'>;
    readonly clock: Clock;
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
        createRequestContext({
          requestId: uuidv7(o.clock.now()),
          caller: { kind: 'service', service: o.service },
          signal: new AbortController().signal,
          log: o.log,
        }),
        { server },
        { timeoutMs: o.dataTimeoutMs },
      ),
  });
  const admit = createClientAdmission({ ...o, findServer });
  const callOnce = createCallOnce({ idempotency: o.idempotency, timeoutMs: o.runTimeoutMs });

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
      await exchange.within(o.runTimeoutMs, () => handle(call, client, address));
    } finally {
      visit.leave();
    }
  }

  /** Opens a stream, or ends a session. */
  async function serveSession({ exchange, request, response }: Call, client: AdmittedClient): Promise<void> {
    const session = { ctx: exchange.contextFor(client.caller), owner: ownerOf(client) };
    const isEnd = request.method === 'DELETE';
    if (!isEnd && !acceptsStream(request)) throw new NotAcceptableError('text/event-stream');
    await countOne(client.account, response);
    if (isEnd) {
      await streams.end(session, request);
      sendPieces(response, 204, '');
      return;
    }
    const { account, isStillAdmitted } = client;
    const { accountId } = account;
    const path = messagesPath(request.path);
    await streams.open(session, request, { accountId, isStillAdmitted, response, messagesPath: path });
  }

  async function handle(call: Call, client: AdmittedClient, address: McpAddress): Promise<void> {
    const { exchange, request, response } = call;
    const { serverId, caller, account } = client;
    const ctx = exchange.contextFor(caller);
    const session = await streams.session({ ctx, owner: ownerOf(client) }, request, address);
    const { headers } = request;
    const { accountId } = account;
    const place = o.largeBodies.placeFor({ accountId, signal: ctx.signal, waitMs: LARGE_WAIT_MS });
    try {
      const body = await readBody(exchange, place);
      const protocolVersion = textOf(headers['mcp-protocol-version']);
      const posted = o.accountCpu.measure(accountId, () => readPosted(body, protocolVersion));
      call.id = posted.id;
      await count(account, response, posted);
      const { keyedCall } = posted;
      const answerNow = () =>
        orOutcomeUnknown(
          endpoint.handleMessage(ctx, {
            serverId,
            body,
            protocolVersion,
            methodHeader: textOf(headers['mcp-method']),
            nameHeader: textOf(headers['mcp-name']),
            paramHeaders: paramHeadersOf(headers),
          }),
        );
      const answerOf = () => (keyedCall === undefined ? answerNow() : callOnce(keyedCall, client, answerNow));
      if (session !== undefined && address.isForMessages) {
        const streamed = await streams.reserve(ctx, session);
        try {
          exchange.outliveClient();
          sendPieces(response, 202, '');
        } catch (error) {
          await streamed.release();
          throw error;
        }
        await streams.answer(streamed, () =>
          answerOf().then(
            (handled) => (handled.body.length === 0 ? undefined : handled.body),
            // A notification has no answer.
            (error: unknown) =>
              posted.requestCount === 0 && call.id === null
                ? undefined
                : rpcErrorText(exchange, sameNotFound(error), call.id),
          ),
        );
        return;
      }
      // The same call again gets the result of this one.
      if (keyedCall !== undefined) exchange.outliveClient();
      const handled = await answerOf();
      if ('isReplayed' in handled && handled.isReplayed) response.setHeader(IDEMPOTENCY_REPLAYED, 'true');
      if (posted.isInitialize && isResult(handled.body))
        response.setHeader(SESSION_HEADER, streams.begin(ownerOf(client)));
      sendPieces(response, handled.httpStatus, handled.body.length === 0 ? '' : [handled.body]);
    } finally {
      place.release();
    }
  }

  /** Counts each request of the body, and none of a batch for which the budgets have too little left. */
  async function count(account: LimitedAccount, response: Response, { requestCount }: Posted): Promise<void> {
    if (requestCount > 1) {
      const standing = limits.peek(account, requestCount);
      setBudgetHeaders(response, standing);
      if (!standing.isAllowed) throw budgetSpent(standing, 'call');
    }
    for (let counted = 0; counted < requestCount; counted += 1) {
      const pending = countOne(account, response);
      if (pending instanceof Promise) await pending;
    }
  }

  /** Counts one call. Returns synchronously if memory suffices, so that nothing comes between those of a batch. */
  function countOne(account: LimitedAccount, response: Response): void | Promise<void> {
    const settle = (verdict: Verdict): void => {
      if (!verdict.isAllowed) throw budgetSpent(verdict, 'call');
      o.countCall(account.accountId);
    };
    const verdict = takeCall(limits, account, response, 'call');
    return verdict instanceof Promise ? verdict.then(settle) : settle(verdict);
  }

  return {
    prefix: MCP_PATH,
    timeoutMs: o.runTimeoutMs + RESERVE_MS,
    maxBodyBytes: MAX_BODY_BYTES,
    async handle(exchange, request, response) {
      const call: Call = { exchange, request, response, id: null };
      await answer(call).catch((error: unknown) =>
        sendRpcError(exchange, response, sameNotFound(error), call.id),
      );
    },
  };
}

/** A server that is gone by now is answered as one that never was. */
function sameNotFound(error: unknown): unknown {
  const isServerGone =
    error instanceof ApiError && error.code === 'NOT_FOUND' && !(error instanceof NoSessionError);
  return isServerGone ? noServer() : error;
}

/** A session belongs to the user who began it; clients without a credential have none. */
function ownerOf({ serverId, caller }: AdmittedClient): SessionOwner {
  return { serverId, userId: caller.kind === 'user' ? caller.userId : undefined };
}

/** Node joins repeated headers; an absent one is empty. */
function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header?.join(', ') ?? '');
}
