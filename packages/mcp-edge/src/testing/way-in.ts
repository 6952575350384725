import type { IncomingHttpHeaders } from 'node:http';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { PERMISSIONS } from '@fairlead/access/permissions';
import type { Permission } from '@fairlead/access/permissions';
import type { Principal } from '@fairlead/access/principal';
import { createResources } from '@fairlead/access/resources';
import {
  FindServerResponseSchema,
  HandleMessageInteractivelyResponseSchema,
  HandleMessageResponseSchema,
} from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import type {
  FindServerRequestSchema,
  HandleMessageInteractivelyRequestSchema,
  HandleMessageInteractivelyResponse,
  HandleMessageRequestSchema,
} from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import type { CallLimits } from '@fairlead/rest-kit/call-limits';
import { ApiError } from '@fairlead/errors/api-error';
import { InactiveUserError } from '@fairlead/rest-kit/authenticate';
import { createInProgress, IN_PROGRESS_LIMITS } from '@fairlead/rest-kit/in-progress';
import { memoryIdempotency } from '@fairlead/rest-kit/idempotency/testing/memory-idempotency';
import { createLargeBodies } from '@fairlead/rest-kit/large-bodies';
import { TEST_OWNER } from '@fairlead/rest-kit/testing/edge';
import type { OnChange } from '@fairlead/service-kit/cache/change-tracker';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { callHttp, startHttpService } from '@fairlead/service-kit/testing/http';
import type { Answer } from '@fairlead/service-kit/testing/http';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';
import { onTestFinished } from 'vitest';
import type { CompletedElicitation } from '../events/elicitation-ends.ts';
import type { SessionRequest } from '../interaction/running-requests.ts';
import { createMcpMount } from '../mcp-mount.ts';
import { mcpMetadataPages } from '../metadata-pages.ts';
import { createOrigins } from '../origins.ts';
import { createElicitationNotices } from '../streams/elicitation-notices.ts';
import { createTaskNotices } from '../streams/task-notices.ts';
import { memoryStreams } from '../streams/testing/memory-streams.ts';

export const PUBLIC_URL = 'https://api.example';
/** A server's token and the token's hash. */
export const TOKEN = 'mcp_1A2b3C4d5E6f7G8h9I0j1K';
const TOKEN_HASH = 'WOyQyK33-jZBb4VoTEyrC40B8BW9Ov3L7MVNyQkFnxI';
export const SERVER_ID = '0b7c1c1e-6f0e-4d0a-9d39-2f6d1f5b8a10';
export const OTHER_ID = '1c8d2d2f-7a1f-4e1b-8e4a-3a7e2a6c9b21';
export const TOKEN_PATH = `/mcp/${TOKEN}/mcp`;
export const ID_PATH = `/mcp/s/${SERVER_ID}/mcp`;
export const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

const API = createResources(PUBLIC_URL);
/** Bearer tokens, with the resources that they are for. */
const AUDIENCES: Readonly<Record<string, string>> = {
  'rest.jwt': API.api,
  'mcp.jwt': API.mcp,
  'server.jwt': API.mcpServer(SERVER_ID),
  'other.jwt': API.mcpServer(OTHER_ID),
};

export const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
/** Credentials of the server's account and of another account. */
export const KEY = { 'x-api-key': 'own' };
export const FOREIGN_KEY = { 'x-api-key': 'foreign' };

type HandleRequest = MessageInitShape<typeof HandleMessageRequestSchema>;

/** An answer of the fake service. */
interface ServiceAnswer extends Pick<MessageInitShape<typeof HandleMessageResponseSchema>, 'commonPart'> {
  readonly httpStatus: number;
  readonly body: string;
}

/** A message that reached the fake service, with its context. */
export interface MessageCall {
  readonly ctx: RequestContext;
  readonly request: HandleRequest;
}

/** A request whose client can get messages, with its context. */
export interface Conversation {
  readonly ctx: RequestContext;
  readonly request: MessageInitShape<typeof HandleMessageInteractivelyRequestSchema>;
}

/** A message to the client before the response. */
export function clientMessage(message: object): HandleMessageInteractivelyResponse {
  return create(HandleMessageInteractivelyResponseSchema, {
    message: { case: 'clientMessage', value: Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })) },
  });
}

/** The response to request id 1. */
export function response(result: object): HandleMessageInteractivelyResponse {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  return create(HandleMessageInteractivelyResponseSchema, {
    message: { case: 'response', value: { httpStatus: 200, body } },
  });
}

/** The MCP edge with one server of the account `acc_1`, over HTTP, and fakes of everything behind it. */
export async function startWayIn(o: { readonly runTimeoutMs?: number; readonly timers?: Timers } = {}) {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const state = {
    server: { serverId: SERVER_ID, accountId: 'acc_1', isActive: true, isAnonymousAllowed: false },
    isUserActive: true,
    isKeyRevoked: false,
    isIdentityAway: false,
    /** Number of credentials that were looked up. */
    checks: 0,
    isAccountOpen: true,
    isStoreAway: false,
    scopes: PERMISSIONS as readonly Permission[],
    toolsetId: null as string | null,
    callsLeft: 1_000,
    lookups: 0,
    session: 1 as number | undefined,
    handle: (_handled: MessageCall): Promise<ServiceAnswer> =>
      Promise.resolve({ httpStatus: 200, body: '{"jsonrpc":"2.0","id":1,"result":{}}' }),
    /** By default, the client gets no messages before the response. */
    converse: async function* ({ ctx, request }: Conversation) {
      const value = await handle({ ctx, request: request.message ?? {} });
      yield create(HandleMessageInteractivelyResponseSchema, { message: { case: 'response', value } });
    } as (conversation: Conversation) => AsyncIterable<HandleMessageInteractivelyResponse>,
  };
  const handled: MessageCall[] = [];
  const interactive: Conversation[] = [];
  const cancelled: SessionRequest[] = [];
  let cancel: (request: SessionRequest) => void = () => undefined;
  async function handle(message: MessageCall) {
    handled.push(message);
    const { body, ...answer } = await state.handle(message);
    return create(HandleMessageResponseSchema, { ...answer, body: Buffer.from(body) });
  }
  const counted: string[] = [];
  const followed: string[] = [];
  let announce: OnChange = () => undefined;

  /** The principal of a credential, which is a key's name or a token's text. */
  function principalOf(credential: string, credentialType: Principal['credentialType']): Principal {
    const accountId = credential === 'foreign' ? 'acc_2' : 'acc_1';
    const principal: Principal = {
      ...TEST_OWNER,
      accountId,
      userId: `usr of ${accountId}`,
      permissions: state.scopes,
      scopes: state.scopes,
      credentialType,
      credentialId: credential,
      toolsetId: state.toolsetId,
      ...(credentialType === 'bearer' && { client: { clientId: 'client_1' } }),
    };
    if (!state.isUserActive) throw new InactiveUserError(principal);
    return principal;
  }
  function authenticate(headers: IncomingHttpHeaders, audience: string, isKeyBearer: boolean): Principal {
    state.checks += 1;
    if (state.isIdentityAway) throw new ApiError('UNAVAILABLE', 'Identity is away.');
    const text = headers.authorization?.replace('Bearer ', '');
    const key = text === undefined || isKeyBearer ? (text ?? headers['x-api-key']) : undefined;
    if (!state.isKeyRevoked && (key === 'own' || key === 'foreign')) return principalOf(key, 'apiKey');
    if (text !== undefined && AUDIENCES[text] === audience) return principalOf(text, 'bearer');
    throw new ApiError('UNAUTHORIZED', 'No valid credential.');
  }
  const verdict = (isAllowed: boolean) => ({
    isAllowed,
    retryAfterSeconds: isAllowed ? 0 : 3_600,
    rateLimit: `"burst";r=${state.callsLeft};t=1`,
    policy: '"burst";q=50;w=1',
  });
  const limits: CallLimits = {
    admit({ accountId }) {
      if (state.callsLeft === 0) return verdict(false);
      state.callsLeft -= 1;
      counted.push(accountId);
      return verdict(true);
    },
    peek: (_account, calls = 0) => verdict(calls <= state.callsLeft),
  };
  const metered: string[] = [];
  const largeBodies = createLargeBodies();
  const { log } = captureLog();
  const resources = createResources(PUBLIC_URL);
  let changeLists: (accountId: string | undefined, isOfTools: boolean) => void = () => undefined;
  let changeAdmissions: (accountId: string) => void = () => undefined;
  let completeElicitation: (elicitation: CompletedElicitation) => void = () => undefined;
  let changeTask: (hash: string) => void = () => undefined;
  const streams = memoryStreams({
    clock,
    timers: systemTimers,
    isStoreAway: () => state.isStoreAway,
    subscribe(onChange) {
      changeLists = onChange;
      return { session: () => undefined };
    },
    followLists(accountId, serverIds) {
      followed.push([accountId, ...serverIds].join(' '));
      return Promise.resolve();
    },
    subscribeToAdmissions: (onChange) => void (changeAdmissions = onChange),
  });
  const mount = createMcpMount({
    streams,
    taskNotices: createTaskNotices({
      streams,
      subscribe: (onChange) => void (changeTask = onChange),
      timers: o.timers ?? systemTimers,
    }),
    elicitationNotices: createElicitationNotices({
      streams,
      subscribe: (onEnd) => void (completeElicitation = onEnd),
      timers: o.timers ?? systemTimers,
    }),
    endpoint: {
      findServer(_ctx, { server }: MessageInitShape<typeof FindServerRequestSchema>) {
        state.lookups += 1;
        const isFound =
          server?.case === 'tokenHash' ? server.value === TOKEN_HASH : server?.value === SERVER_ID;
        return Promise.resolve(create(FindServerResponseSchema, isFound ? state.server : {}));
      },
      handleMessage: (ctx, request) => handle({ ctx, request }),
      async *handleMessageInteractively(ctx, request) {
        interactive.push({ ctx, request });
        yield* state.converse({ ctx, request });
      },
    },
    subscribe(onChange) {
      announce = onChange;
      return { session: () => state.session };
    },
    authenticate: async (headers, { audience, isKeyBearer }) =>
      Promise.resolve(authenticate(headers, audience, isKeyBearer)),
    findBudgets: () => Promise.resolve(state.isAccountOpen ? DEFAULT_BUDGETS : undefined),
    limits,
    countCall: (accountId) => metered.push(accountId),
    resources,
    origins: createOrigins({ publicUrl: PUBLIC_URL, allowed: [], isLoopbackAllowed: true }),
    inProgress: createInProgress(IN_PROGRESS_LIMITS),
    idempotency: memoryIdempotency(log),
    largeBodies,
    cancellations: {
      publish: (request) => cancelled.push(request),
      subscribe: (onCancel) => (cancel = onCancel),
    },
    accountCpu: { measure: (_accountId, work) => work() },
    clock,
    timers: o.timers ?? systemTimers,
    log,
    dataTimeoutMs: 60_000,
    runTimeoutMs: o.runTimeoutMs ?? 60_000,
    service: 'gateway',
  });
  const service = await startHttpService({ mounts: [mount], pages: mcpMetadataPages(resources) });
  onTestFinished(async () => {
    largeBodies.close();
    await Promise.all([streams.drain(0), service.close()]);
  });

  const post = (
    path: string,
    sent: { headers?: Record<string, string>; json?: unknown; body?: string } = {},
  ): Promise<Answer> =>
    callHttp(service, 'POST', path, sent.body === undefined ? { json: LIST, ...sent } : sent);
  return {
    service,
    streams,
    state,
    clock,
    handled,
    /** Requests whose clients could get messages. */
    interactive,
    /** Cancellations sent to other replicas. */
    cancelled,
    /** Simulates a cancellation from another replica. */
    cancel: (request: SessionRequest) => cancel(request),
    counted,
    /** The account and ids in requests to follow the servers of open streams. */
    followed,
    metered,
    post,
    /** Announces that an account's servers may list other tools; undefined: all accounts. */
    changeLists: (accountId: string | undefined, isOfTools = true) => changeLists(accountId, isOfTools),
    /** Announces that clients of an account's servers may no longer be admitted. */
    changeAdmissions: (accountId: string) => changeAdmissions(accountId),
    /** Announces that the task with this id hash has changed. */
    changeTask: (hash: string) => changeTask(hash),
    /** Announces that a user has completed an elicitation. */
    completeElicitation: (elicitation: CompletedElicitation) => completeElicitation(elicitation),
    announce: (isDone: boolean) => announce('acc_1', { id: 'change', isDone }),
  };
}

/** An answer's JSON-RPC error, without parts that differ between requests. */
export function errorOf({ status, body, headers }: Answer) {
  const { error, id, jsonrpc } = body as {
    readonly jsonrpc: unknown;
    readonly id: unknown;
    readonly error?: { readonly code: number; readonly message: string; readonly data: object };
  };
  const { requestId: _id, ...data } = { requestId: '', ...error?.data };
  return {
    status,
    jsonrpc,
    id,
    code: error?.code,
    message: error?.message,
    data,
    challenge: headers.get('www-authenticate'),
  };
}
