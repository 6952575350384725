import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  EndpointService,
  HandleMessageRequestSchema,
  HandleMessageResponse,
} from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { overloaded } from '@fairlead/errors/api-error';
import { readBody } from '@fairlead/rest-kit/body';
import { IDEMPOTENCY_REPLAYED } from '@fairlead/rest-kit/idempotency-key';
import type { Idempotency } from '@fairlead/rest-kit/idempotency/idempotency';
import type { LargeBodies } from '@fairlead/rest-kit/large-bodies';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { sendPieces } from '@fairlead/service-kit/http/reply';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { orOutcomeUnknown } from '@fairlead/service-kit/rpc/outcome-unknown';
import type { AccountCpu } from '@fairlead/service-kit/telemetry/account-cpu';
import type { Timers } from '@fairlead/service-kit/timers';
import type { Request, Response } from 'express';
import type { McpAddress } from './addresses.ts';
import type { AdmittedClient } from './client-admission.ts';
import { createCommonParts } from './common-parts.ts';
import type { Pieces } from './common-parts.ts';
import { createCallOnce } from './idempotent-calls.ts';
import { taskIdOf, resultIn, taskQuestion } from './interaction/begun-tasks.ts';
import { capabilitiesJson, NO_CAPABILITIES } from './interaction/client-capabilities.ts';
import { converse } from './interaction/converse.ts';
import { declaredIn, isInteractive, levelIn } from './interaction/interactive-requests.ts';
import { listen } from './interaction/listen.ts';
import { PostAnswer } from './interaction/post-answer.ts';
import { CancelledError, createRunningRequests } from './interaction/running-requests.ts';
import type { CancellationPipe } from './interaction/running-requests.ts';
import { isSubscription, noSession, saysOfClient, subscriptionIn } from './interaction/subscriptions.ts';
import { demandedElicitations } from './interaction/url-elicitations.ts';
import { paramHeadersOf } from './param-headers.ts';
import { idIn, isResult, readPosted } from './posted.ts';
import type { BodyFacts, PostedMessage, RpcId } from './posted.ts';
import { createRateBound } from './rate-bound.ts';
import type { RequestBudget } from './request-budget.ts';
import { rpcErrorText, sameNotFound, sendRpcError } from './rpc-errors.ts';
import type { ClientStreams } from './streams/client-streams.ts';
import type { ElicitationNotices } from './streams/elicitation-notices.ts';
import { ownerOf } from './streams/session-ids.ts';
import type { Session } from './streams/session-ids.ts';
import type { ReservedPlace } from './streams/stream-hub.ts';
import { SESSION_HEADER } from './streams/sessions.ts';
import type { TaskNotices } from './streams/task-notices.ts';

/** Time after which a subscription is renewed at the service. */
export const LISTEN_LIMIT_MS = 60 * 60_000;
/** Maximum wait of a large body for a place in memory. */
const LARGE_WAIT_MS = 20_000;
/** The first version whose clients accept events without data, and resume answers. */
const RESUMABLE_VERSION = '2025-11-25';
const LISTEN = 'subscriptions/listen';
/** Rate limit per account for messages without a budget: notifications, responses and pings. */
const UNCOUNTED = { perSecond: 1_000, burst: 2_000 };

/** A request to an MCP server, with the known facts about its posted message. */
export interface Call {
  readonly exchange: Exchange;
  readonly request: Request;
  readonly response: Response;
  id: RpcId;
  /** The answer, once it may have begun. */
  answer: PostAnswer | undefined;
}

/** Handles posted messages. */
interface PostedMessages {
  /** Handles and answers the message of an admitted client. Throws errors that `fail` can answer. */
  handle(call: Call, client: AdmittedClient, address: McpAddress): Promise<void>;
  /** Answers with any thrown error, on the stream if the answer has become one. */
  fail(call: Call, error: unknown): void;
}

type Message = MessageInitShape<typeof HandleMessageRequestSchema>;

/** Passes posted messages to the mcp service. */
export function createPostedMessages(o: {
  readonly endpoint: Pick<RpcClient<typeof EndpointService>, 'handleMessage' | 'handleMessageInteractively'>;
  readonly streams: ClientStreams;
  readonly taskNotices: TaskNotices;
  readonly elicitationNotices: ElicitationNotices;
  readonly budget: RequestBudget;
  /** Runs tool calls with an idempotency key once. */
  readonly idempotency: Pick<Idempotency, 'run'>;
  readonly largeBodies: LargeBodies;
  readonly accountCpu: Pick<AccountCpu, 'measure'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly cancellations: CancellationPipe;
  /** Time limit of an answer. */
  readonly runTimeoutMs: number;
}): PostedMessages {
  const { endpoint, streams } = o;
  const parts = createCommonParts();
  const callOnce = createCallOnce({ idempotency: o.idempotency, timeoutMs: o.runTimeoutMs });
  const running = createRunningRequests({ ...o.cancellations, clock: o.clock });
  const uncounted = createRateBound({ ...UNCOUNTED, clock: o.clock });

  /**
   * Passes one message to the service; `send` gets the messages that precede the response. Throws CancelledError if
   * the client cancels.
   */
  async function answerTo(handling: Handling, send: (json: Uint8Array) => Promise<void>) {
    const { ctx, posted, session } = handling;
    const requestId = posted.requestCount === 1 ? posted.id : null;
    if (session === undefined || requestId === null) {
      const handled = await handledBy(handling, ctx, send);
      if (isSubscription(posted.message) && isResult(handled.body)) throw noSession();
      return handled;
    }
    const request = { sessionKey: session.key, requestId: JSON.stringify(requestId) };
    const handled = await running.run(ctx, request, (cancellable) => handledBy(handling, cancellable, send));
    await rememberClient(handling, session, handled.body);
    followTask(handling, session, handled.body);
    expectElicitations(handling, session, handled.body);
    return handled;
  }

  /** If the call has become a task, the client will be notified of the task's end. */
  function followTask({ ctx, accountId, message, posted }: Handling, session: Session, answer: Uint8Array) {
    const taskId = taskIdOf(posted.message, answer);
    if (taskId === undefined) return;
    const question = { serverId: message.serverId, body: taskQuestion(taskId) };
    const read = async (of: RequestContext) => resultIn((await endpoint.handleMessage(of, question)).body);
    o.taskNotices.follow({ ctx, accountId, session, taskId, read });
  }

  async function handledBy(
    { accountId, message, posted, session }: Handling,
    ctx: RequestContext,
    send: (json: Uint8Array) => Promise<void>,
  ) {
    const clientOf = () => streams.client(ctx, session);
    const page = listPageOf(message.serverId, posted.message);
    if (page !== undefined)
      return parts.complete({ accountId, key: page }, (keptPartDigest) =>
        orOutcomeUnknown(endpoint.handleMessage(ctx, { ...message, keptPartDigest })),
      );
    if (!(await isInteractive(posted.message, clientOf)))
      return orOutcomeUnknown(endpoint.handleMessage(ctx, message));
    const { capabilities, logLevel } = (await clientOf()) ?? { capabilities: NO_CAPABILITIES, logLevel: '' };
    const request = { message, clientCapabilitiesJson: capabilitiesJson(capabilities), logLevel };
    return orOutcomeUnknown(converse(endpoint.handleMessageInteractively(ctx, request), send));
  }

  /** Stores the information that a message contains about its session's client, if the response is a result. */
  async function rememberClient(
    { ctx, posted }: Handling,
    session: Session,
    answer: Uint8Array,
  ): Promise<void> {
    const { message } = posted;
    // Only these answers are short and complete; another answer may lack a cached part.
    if (message === undefined || !saysOfClient(message) || !isResult(answer)) return;
    if (message.method === 'logging/setLevel') {
      const logLevel = levelIn(message.params);
      if (logLevel !== undefined) await streams.rememberClient(ctx, session, { logLevel });
    } else if (isSubscription(message)) {
      const { uri, isFollowed } = subscriptionIn(message);
      await (isFollowed ? streams.subscribe(ctx, session, uri) : streams.unsubscribe(ctx, session, uri));
    } else {
      // Session ids of Streamable HTTP contain the capabilities.
      const capabilities = declaredIn(message.params, 'capabilities');
      if (capabilities === NO_CAPABILITIES) return;
      // If this fails, the client only gets no requests.
      await streams
        .rememberClient(ctx, session, { capabilities })
        .catch((error: unknown) => ctx.log.warn({ err: error }, 'the client of a session cannot be stored'));
    }
  }

  /** If the answer demands an elicitation, the client will be notified when its user has completed it. */
  function expectElicitations({ ctx }: Handling, session: Session, answer: Uint8Array): void {
    if (ctx.caller.kind !== 'user') return;
    const { userId } = ctx.caller;
    for (const elicitationId of demandedElicitations(answer))
      o.elicitationNotices.expect({ ctx, session, userId, elicitationId });
  }

  /** A notification may cancel a request of its session. */
  function cancelNamed({ posted, session }: Handling, accountId: string): void {
    const { message } = posted;
    if (session === undefined || message?.method !== 'notifications/cancelled') return;
    const id = idIn(message.params, 'requestId');
    if (id !== null) running.cancel(accountId, { sessionKey: session.key, requestId: JSON.stringify(id) });
  }

  async function answerOnStream(call: Call, handling: Handling, session: Session): Promise<void> {
    const { exchange, response } = call;
    const place = await streams.reserve(handling.ctx, session);
    try {
      exchange.outliveClient();
      sendPieces(response, 202, '');
    } catch (error) {
      await place.release();
      throw error;
    }
    const send = sendUntilGone(place);
    await streams.answer(place, () =>
      handling
        .once(() => answerTo(handling, send))
        .then(
          (handled) => (handled.body.length === 0 ? undefined : Buffer.concat(piecesOf(handled))),
          // Notifications have no answer, and neither have requests that the client cancelled.
          (error: unknown) =>
            (handling.posted.requestCount === 0 && call.id === null) || error instanceof CancelledError
              ? undefined
              : rpcErrorText(exchange, sameNotFound(error), call.id),
        ),
    );
  }

  async function answerHere(call: Call, handling: Handling, client: AdmittedClient): Promise<void> {
    const { exchange, response } = call;
    const { posted, session, message } = handling;
    // A session's client cancels by a message; a lost connection alone cancels nothing. With an idempotency key, the
    // repeated call gets the result of this one.
    if (session !== undefined || posted.keyedCall !== undefined) exchange.outliveClient();
    const isResumable = session !== undefined && message.protocolVersion === RESUMABLE_VERSION;
    const { accountId } = client.account;
    const answer = new PostAnswer(
      response,
      o.timers,
      isResumable ? () => streams.keepAnswer(session, accountId) : undefined,
    );
    call.answer = answer;
    const handled = await handling.once(() => answerTo(handling, (json) => answer.sendBefore(json)));
    if (!answer.isStream) {
      if ('isReplayed' in handled && handled.isReplayed) response.setHeader(IDEMPOTENCY_REPLAYED, 'true');
      const { message } = posted;
      if (message?.method === 'initialize' && message.isRequest && isResult(handled.body))
        response.setHeader(
          SESSION_HEADER,
          streams.start(ownerOf(client), declaredIn(message.params, 'capabilities')),
        );
    }
    answer.finish(handled.httpStatus, piecesOf(handled));
  }

  /** Returns when the answer has begun. A stream then continues until the client, the service or this replica ends it. */
  async function answerListener(call: Call, handling: Handling, client: AdmittedClient): Promise<void> {
    const { accountId } = client.account;
    const { isStillAdmitted } = client;
    const { serverId, userId } = ownerOf(client);
    const anonymousServerId = userId === undefined ? serverId : undefined;
    const listener = streams.listeners.add({ accountId, anonymousServerId, isStillAdmitted });
    const signal = AbortSignal.any([handling.ctx.signal, listener.signal]);
    const ctx = { ...handling.ctx, signal, deadline: undefined };
    const request = { message: handling.message };
    const options = { timeoutMs: LISTEN_LIMIT_MS };
    const open = () => endpoint.handleMessageInteractively(ctx, request, options);
    const messages = listen(open, { signal, timers: o.timers });
    const answer = new PostAnswer(call.response, o.timers);
    call.answer = answer;
    try {
      const { value: first } = await messages.next();
      if (first instanceof Uint8Array) {
        await answer.sendBefore(first);
        void sendAll(messages, answer).finally(() => {
          answer.finish(200, [listenResult(call.id)]);
          listener.close();
        });
        return;
      }
      answer.finish(first?.httpStatus ?? 200, [first?.body ?? listenResult(call.id)]);
    } catch (error) {
      listener.close();
      throw error;
    }
    listener.close();
  }

  return {
    async handle(call, client, address) {
      const { exchange, request, response } = call;
      const { serverId, caller, account } = client;
      const ctx = exchange.contextFor(caller);
      const session = await streams.session({ ctx, owner: ownerOf(client) }, request, address);
      const { accountId } = account;
      const place = o.largeBodies.placeFor({ accountId, signal: ctx.signal, waitMs: LARGE_WAIT_MS });
      try {
        const body = await readBody(exchange, place);
        const { headers } = request;
        const protocolVersion = textOf(headers['mcp-protocol-version']);
        const posted = o.accountCpu.measure(accountId, () => readPosted(body, protocolVersion));
        call.id = posted.id;
        if (posted.requestCount === 0 && !uncounted.take(accountId))
          throw overloaded('The account sends too many messages that are no requests.');
        await o.budget.count(account, response, posted);
        const { keyedCall } = posted;
        const message = {
          serverId,
          body,
          protocolVersion,
          methodHeader: textOf(headers['mcp-method']),
          nameHeader: textOf(headers['mcp-name']),
          paramHeaders: paramHeadersOf(headers),
        };
        const handling: Handling = {
          ctx,
          accountId,
          message,
          posted,
          session,
          once: (handle) => (keyedCall === undefined ? handle() : callOnce(keyedCall, client, handle)),
        };
        cancelNamed(handling, accountId);
        const isListen = posted.message?.method === LISTEN && posted.message.isRequest;
        if (isListen && session === undefined) await answerListener(call, handling, client);
        else if (session !== undefined && address.isForMessages)
          await answerOnStream(call, handling, session);
        else await answerHere(call, handling, client);
      } finally {
        place.release();
      }
    },
    fail({ exchange, response, id, answer }, error) {
      if (answer !== undefined && error instanceof CancelledError) return answer.end();
      if (answer?.isStream === true) answer.finish(200, [rpcErrorText(exchange, sameNotFound(error), id)]);
      else sendRpcError(exchange, response, sameNotFound(error), id);
    },
  };
}

/** Sends the messages of a subscription, until they end or sending fails. */
async function sendAll(
  messages: AsyncIterable<Uint8Array | HandleMessageResponse>,
  answer: PostAnswer,
): Promise<void> {
  try {
    for await (const message of messages) if (message instanceof Uint8Array) await answer.sendBefore(message);
  } catch {
    // After an error the stream ends without a response, so the client subscribes again.
  }
}

/** The response that ends a subscription. Source: MCP 2026-07-28, "Subscriptions". */
function listenResult(id: RpcId): Uint8Array {
  const result = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': id } };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** A message that was parsed and counted. */
interface Handling {
  readonly ctx: RequestContext;
  readonly accountId: string;
  readonly message: Message & { readonly serverId: string };
  readonly posted: BodyFacts;
  readonly session: Session | undefined;
  /** Runs a call with an idempotency key once. */
  readonly once: (handle: () => Promise<HandlerResult>) => Promise<HandlerResult>;
}

interface HandlerResult {
  readonly httpStatus: number;
  /** Empty: none. */
  readonly body: Uint8Array;
  /** The complete answer, for a `body` that may lack a cached part. */
  readonly pieces?: Pieces;
  readonly isReplayed?: boolean;
}

function piecesOf({ body, pieces }: HandlerResult): Pieces {
  return pieces ?? (body.length === 0 ? [] : [body]);
}

/** Maximum length of our cursors. */
const MAX_CURSOR_BYTES = 100;

/** The cache key of the list page that a message requests; undefined: it requests none. */
function listPageOf(serverId: string, message: PostedMessage | undefined): string | undefined {
  if (message?.method !== 'tools/list' || !message.isRequest) return undefined;
  const cursor = message.params.get('cursor');
  if (cursor !== undefined && cursor.length > MAX_CURSOR_BYTES) return undefined;
  return `${serverId} ${Buffer.from(cursor ?? []).toString()}`;
}

/** Sends messages while they arrive in order. If one is lost, stops, because the client has begun a new session. */
function sendUntilGone(place: ReservedPlace): (json: Uint8Array) => Promise<void> {
  let isGone = false;
  return async (json) => {
    isGone ||= !(await place.sendBefore(json));
  };
}

/** Node joins repeated headers; an absent header is empty. */
function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header?.join(', ') ?? '');
}
