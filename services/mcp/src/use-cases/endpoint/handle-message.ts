import { ApiError, notFound } from '@fairlead/errors/api-error';
import { clientOf, confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { answerPost } from '../../endpoint/answer-post.ts';
import type { PostAnswer, RpcRequest } from '../../endpoint/answer-post.ts';
import { RPC_ERRORS, RpcError, textIn } from '../../endpoint/json-rpc.ts';
import { NO_SESSION, requestClient } from '../../endpoint/request-client.ts';
import type { ClientSession } from '../../endpoint/request-client.ts';
import {
  cacheable,
  LIST_TTL_MS,
  requireArgumentHeaders,
  statelessResult,
} from '../../endpoint/request-envelope.ts';
import type { ProtocolHeaders } from '../../endpoint/request-envelope.ts';
import type { Outbox } from '../../endpoint/outbox.ts';
import { RequestChannel } from '../../endpoint/request-channel.ts';
import type { RequestChannelDeps } from '../../endpoint/request-channel.ts';
import { isTaskMethod } from '../../endpoint/task-messages.ts';
import { negotiatedVersion, STATELESS_VERSIONS } from '../../endpoint/versions.ts';
import { LOG_LEVELS, logLevelOf } from '../../domain/mcp-client.ts';
import { taskCapabilities } from '../../domain/task.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import type { ClientChannel } from '../../ports/client-channel.ts';
import type { ClientRequests } from '../../ports/client-requests.ts';
import type { DetachedCalls } from '../../ports/detached-calls.ts';
import type { ActiveServer, ActiveServers } from '../../ports/active-servers.ts';
import type { ToolCalls } from '../../ports/tool-calls.ts';
import { answerClientRequest } from './answer-client-request.ts';
import type { AnswerClientRequestDeps } from './answer-client-request.ts';
import { NO_ROUND_TRIP, openRoundTrip } from '../../endpoint/round-trip.ts';
import type { RoundTripDeps } from '../../endpoint/round-trip.ts';
import { callServerTool } from './call-server-tool.ts';
import type { CallServedToolDeps } from './call-server-tool.ts';
import { findUpstreamCapabilities } from './find-upstream-capabilities.ts';
import { handleTask } from './handle-task.ts';
import type { HandleTaskDeps } from './handle-task.ts';
import { listenToChanges } from './listen-to-changes.ts';
import type { ListenToChangesDeps } from './listen-to-changes.ts';
import { passRequest } from './pass-request.ts';
import type { PassRequestDeps } from './pass-request.ts';

export interface HandleMessageDeps
  extends
    CallServedToolDeps,
    HandleTaskDeps,
    PassRequestDeps,
    ListenToChangesDeps,
    RequestChannelDeps,
    AnswerClientRequestDeps,
    RoundTripDeps {
  readonly activeServers: ActiveServers;
  readonly toolCalls: ToolCalls;
  readonly detachedCalls: DetachedCalls;
  readonly clientRequests: ClientRequests;
}

/** A posted body, and the server that it was posted to. */
export interface PostedMessage {
  readonly serverId: string;
  readonly body: Uint8Array;
  readonly headers: ProtocolHeaders;
  /** Default: a client without known declarations. */
  readonly session?: ClientSession | undefined;
}

const MAX_NAMED = 100;
/** Version in `serverInfo`. */
const SERVER_VERSION = '1.0.0';

/**
 * Answers a body that a client has posted to a server of its account. Until then, messages for the client go to the outbox, if there is
 * one. NOT_FOUND if the server is gone or inactive, or admits no anonymous clients; FORBIDDEN for a key restricted to another toolset than
 * the server's.
 */
export async function handleMessage(
  deps: HandleMessageDeps,
  ctx: RequestContext,
  { serverId, body, headers, session = NO_SESSION }: PostedMessage,
  outbox?: Outbox,
): Promise<PostAnswer> {
  const find = sharedBy(() => findServer(deps, ctx, serverId));
  const onFault = (err: unknown): void => ctx.log.error({ err }, 'a request of a batch failed');
  const serve = async (request: RpcRequest): Promise<Readonly<Record<string, LazyValue>>> => {
    if (request.method === 'ping' && !request.isStateless) return {};
    const roundTrip = request.isStateless ? await openRoundTrip(deps, ctx, serverId, request) : NO_ROUND_TRIP;
    const { answers, inputs } = roundTrip;
    const client = { ...requestClient(request, session, headers.version), inputs };
    const channel = new RequestChannel(deps, { client, serverId, outbox, answers });
    try {
      const served = await find();
      if (request.isStateless && request.method === 'tools/call') {
        const tool = served.tools.get(textIn(request.params, 'name') ?? '');
        requireArgumentHeaders(tool?.headerArguments ?? [], request.params, headers.params);
      }
      const result = await roundTrip.run(() => resultOf(deps, ctx, served, request, channel));
      return request.isStateless ? statelessResult(result, serverInfo(served.server)) : result;
    } finally {
      channel.close();
    }
  };
  const answer = async (response: Parameters<typeof answerClientRequest>[3]): Promise<void> => {
    await find();
    await answerClientRequest(deps, ctx, serverId, response);
  };
  return await answerPost(body, headers, { serve, answer, onFault });
}

async function resultOf(
  deps: HandleMessageDeps,
  ctx: RequestContext,
  served: ActiveServer,
  { id, method, params, isStateless }: RpcRequest,
  channel: ClientChannel,
): Promise<Readonly<Record<string, LazyValue>>> {
  const capabilities = async (): Promise<Capabilities> => ({
    tools: { listChanged: true },
    ...(await findUpstreamCapabilities(deps, ctx, served)),
    ...taskCapabilities(ctx.caller.kind, isStateless ? undefined : versionIn(params)),
  });
  switch (method) {
    case 'initialize':
      if (!isStateless) return initializeResult(served.server, params, await capabilities());
      break;
    case 'server/discover':
      if (isStateless) return discoverResult(served.server, await capabilities());
      break;
    case 'logging/setLevel':
      if (!isStateless) return setLevelResult(params);
      break;
    case 'subscriptions/listen':
      if (isStateless) return await listenToChanges(deps, ctx, served, { id, params }, channel);
      break;
    case 'tools/list':
      return { ...listTools(served, params, isStateless), ...(isStateless && cacheable(LIST_TTL_MS)) };
    case 'tools/call':
      return { ...(await callServerTool(deps, ctx, served, params, channel)) };
    default: {
      const passed = await passRequest(deps, ctx, served, { method, params, isStateless }, channel);
      if (passed !== undefined) return passed;
    }
  }
  if (isTaskMethod(method, channel.client))
    return await handleTask(deps, ctx, served, { method, params }, channel.client);
  throw new RpcError(RPC_ERRORS.methodNotFound, `Method not found: ${method.slice(0, MAX_NAMED)}`);
}

type Capabilities = Readonly<Record<string, LazyValue>>;

function versionIn(params: RpcRequest['params']): string {
  const version = textIn(params, 'protocolVersion');
  if (version === undefined)
    throw new RpcError(RPC_ERRORS.invalidParams, 'params.protocolVersion: must be a string');
  return negotiatedVersion(version);
}

function initializeResult(server: McpServer, params: RpcRequest['params'], capabilities: Capabilities) {
  return {
    protocolVersion: versionIn(params),
    capabilities,
    serverInfo: serverInfo(server),
    ...instructionsOf(server),
  };
}

/** The gateway stores the level in the session. */
function setLevelResult(params: RpcRequest['params']): Readonly<Record<string, LazyValue>> {
  if (logLevelOf(textIn(params, 'level')) !== undefined) return {};
  throw new RpcError(RPC_ERRORS.invalidParams, `params.level: must be one of ${LOG_LEVELS.join(', ')}`);
}

function discoverResult(server: McpServer, capabilities: Capabilities) {
  return {
    supportedVersions: [...STATELESS_VERSIONS],
    capabilities,
    ...instructionsOf(server),
    ...cacheable(LIST_TTL_MS),
  };
}

function listTools(
  { pages }: ActiveServer,
  params: RpcRequest['params'],
  isStateless: boolean,
): Readonly<Record<string, LazyValue>> {
  const cursor = params.has('cursor') ? (textIn(params, 'cursor') ?? '') : undefined;
  const page = pages.page(cursor, !isStateless);
  if (page === undefined)
    throw new RpcError(RPC_ERRORS.invalidParams, 'params.cursor: is not one of this list');
  const { tools, nextCursor } = page;
  return { tools, ...(nextCursor !== undefined && { nextCursor }) };
}

async function findServer(
  { activeServers }: HandleMessageDeps,
  ctx: RequestContext,
  serverId: string,
): Promise<ActiveServer> {
  const caller = clientOf(ctx);
  const isAnonymous = caller.kind === 'anonymousClient';
  if (isAnonymous && caller.serverId !== serverId) throw notFound('MCP server');
  const confinedTo = confinementOf(ctx)?.toolsetId;
  const served = await activeServers.find(ctx, { accountId: caller.accountId, serverId, confinedTo });
  if (served === undefined || (isAnonymous && !served.server.isAnonymousAllowed))
    throw notFound('MCP server');
  const { toolsetId } = served.server.settings;
  if (confinedTo !== undefined && toolsetId !== null && toolsetId !== confinedTo)
    throw new ApiError('FORBIDDEN', 'The API key is confined to another toolset than the MCP server.');
  return served;
}

function serverInfo({ name }: McpServer): { readonly name: string; readonly version: string } {
  return { name, version: SERVER_VERSION };
}

function instructionsOf({ description }: McpServer): { readonly instructions?: string } {
  return description === '' ? {} : { instructions: description };
}

/** Calls `read` once for all messages of a batch. */
function sharedBy<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= read());
}
