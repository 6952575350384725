import type { JsonObject } from '@fairlead/connector-model/json';
import { DetachedCallState } from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import type { DetachedCallService } from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import type { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type {
  ClientRequest,
  ExecuteToolInteractivelyResponse,
  ExecuteToolResponse,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startUpstreamTools, TOKEN } from './testing/upstream-tools.ts';
import type { UpstreamTools } from './testing/upstream-tools.ts';

const ANSWER = { action: 'accept', content: { name: 'Ada' } };
const WAIT = { timeout: 90_000 };

let started: UpstreamTools;
let upstream: UpstreamTools['upstream'];
/** Two replicas of the service. */
let one: RpcClient<typeof ExecutionService>;
let other: RpcClient<typeof ExecutionService>;
/** A client of the other replica, for detached calls. */
let detached: RpcClient<typeof DetachedCallService>;
let ctx: RequestContext;

/** Tools of the upstream server, named by their behaviour. */
const TOOLS = {
  report: async ({ send, progressToken = null }) => {
    send({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
    send({ method: 'notifications/message', params: { level: 'error', data: `it has ${TOKEN}` } });
    send({ method: 'notifications/resources/updated', params: { uri: 'x' } });
    return { content: [{ type: 'text', text: 'done' }] };
  },
  ask: async ({ ask, authorization }) => {
    const params = { message: `Who, ${authorization}?`, requestedSchema: { type: 'object', properties: {} } };
    const response = await ask('elicitation/create', params);
    return { content: [{ type: 'text', text: JSON.stringify(response['result'] ?? response['error']) }] };
  },
  hang: () => new Promise<JsonObject>(() => undefined),
  leave: async ({ ask }) => {
    void ask('roots/list', {});
    return { content: [] };
  },
} satisfies Parameters<typeof startUpstreamTools>[0]['tools'];

beforeAll(async () => {
  started = await startUpstreamTools({ tools: TOOLS, connectionIds: [7, 8, 9], replicas: 2 });
  const [first, second] = started.replicas;
  const calls = started.detached[1];
  if (!first || !second || !calls) throw new Error('Two replicas were started.');
  [one, other, detached, upstream] = [first, second, calls, started.upstream];
});
afterAll(() => started.close());
beforeEach(() => {
  ctx = testContext({ accountId: 'mine', userId: 'ada' });
});

/** A call of a tool by a client that supports elicitation and roots. */
function execute(toolSlug: string, context = ctx): AsyncIterable<ExecuteToolInteractivelyResponse> {
  return one.executeToolInteractively(context, {
    call: { toolSlug, fieldsJson: {}, mcpServerName: 'Support' },
    client: {
      capabilitiesJson: Buffer.from('{"elicitation":{},"roots":{}}'),
      logLevel: 'info',
      wantsProgress: true,
    },
  });
}

/** A result that requests input. */
interface Demand {
  readonly resultType: string;
  readonly inputRequests: Readonly<Record<string, object>>;
  readonly requestState: string;
}

/** The messages of a call; `onRequest` is called with each request. */
async function messagesOf(
  call: AsyncIterable<ExecuteToolInteractivelyResponse>,
  onRequest: (request: ClientRequest) => Promise<void> = async () => undefined,
): Promise<{ readonly told: readonly unknown[]; readonly result: ExecuteToolResponse | undefined }> {
  const told: unknown[] = [];
  let result: ExecuteToolResponse | undefined;
  for await (const { message } of call) {
    if (message.case === 'result') result = message.value;
    else if (message.case === undefined) throw new Error('A message is empty.');
    else {
      told.push({ method: message.value.method, params: new LazyJson(message.value.paramsJson).parse() });
      if (message.case === 'request') await onRequest(message.value);
    }
  }
  return { told, result };
}

const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
const outputOf = (result: ExecuteToolResponse | undefined): string =>
  Buffer.from(result?.outputJson ?? new Uint8Array()).toString();

test('notifications of a running tool reach its client before the result, masked', async () => {
  const { told, result } = await messagesOf(execute('report'));
  expect(told).toEqual([
    { method: 'notifications/progress', params: { progress: 1, total: 2 } },
    { method: 'notifications/message', params: { level: 'error', data: 'it has ***' } },
  ]);
  expect(result).toMatchObject({ isSuccess: true, info: { mcpServerName: 'Support' } });
});

test('the client answers a request of the tool at any replica, once; nobody else can', async () => {
  const answer = { case: 'resultJson' as const, value: json(ANSWER) };
  const refused = { code: 'NOT_FOUND' };
  let key = '';
  const { told, result } = await messagesOf(execute('ask'), async (request) => {
    ({ key } = request);
    const keyOfNobody = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
    for (const replica of [one, other]) {
      for (const stranger of [
        testContext({ accountId: 'mine', userId: 'eve' }),
        testContext({ accountId: 'other', userId: 'ada' }),
        testContext({ caller: { kind: 'anonymousClient', accountId: 'mine', serverId: 'ada' } }),
      ])
        await expect(replica.answerClientRequest(stranger, { key, answer })).rejects.toMatchObject(refused);
      for (const wrong of ['', 'ask_', keyOfNobody])
        await expect(replica.answerClientRequest(ctx, { key: wrong, answer })).rejects.toMatchObject(refused);
    }
    await other.answerClientRequest(ctx, { key, answer });
    await expect(one.answerClientRequest(ctx, { key, answer })).rejects.toMatchObject(refused);
  });
  expect(told).toMatchObject([{ method: 'elicitation/create', params: { message: 'Who, Bearer ***?' } }]);
  expect(outputOf(result)).toContain('Ada');
  const { execution } = await one.getExecution(ctx, { historyId: result?.historyId ?? 0n });
  expect(execution).toMatchObject({ isSuccess: true });
});

test('an error that the client answers reaches the tool', async () => {
  const error = json({ code: -1, message: 'User rejected' });
  const { result } = await messagesOf(execute('ask'), async ({ key }) => {
    await one.answerClientRequest(ctx, { key, answer: { case: 'errorJson', value: error } });
  });
  expect(outputOf(result)).toContain('User rejected');
});

test('an answer that is too large or no object is refused, and the client can answer again', async () => {
  const { result } = await messagesOf(execute('ask'), async ({ key }) => {
    for (const value of [json({ a: 'x'.repeat(1_000_000) }), Buffer.from('[1]'), Buffer.from('{')]) {
      const refused = other.answerClientRequest(ctx, { key, answer: { case: 'resultJson', value } });
      await expect(refused).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'result' }],
      });
    }
    await expect(other.answerClientRequest(ctx, { key })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const large = json({ action: 'accept', content: { name: 'x'.repeat(900_000) } });
    await other.answerClientRequest(ctx, { key, answer: { case: 'resultJson', value: large } });
  });
  expect(result).toMatchObject({ isSuccess: true });
});

test('a request that is open when its call ends cannot be answered any more', async () => {
  let key = '';
  await messagesOf(execute('leave'), async (request) => void ({ key } = request));
  const late = other.answerClientRequest(ctx, {
    key,
    answer: { case: 'resultJson', value: json({ roots: [] }) },
  });
  await expect(late).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a client without a credential can be asked too', async () => {
  const caller = { kind: 'anonymousClient', accountId: 'mine', serverId: 'server-1' } as const;
  const anonymous = testContext({ caller });
  const { result } = await messagesOf(execute('ask', anonymous), async ({ key }) => {
    await other.answerClientRequest(anonymous, { key, answer: { case: 'resultJson', value: json(ANSWER) } });
  });
  expect(outputOf(result)).toContain('Ada');
});

test('a client that is asked in results goes on with the call at another replica', async () => {
  const call = { toolSlug: 'ask', fieldsJson: {}, mcpServerName: 'Support' };
  const client = { capabilitiesJson: Buffer.from('{"elicitation":{}}'), takesInputRequired: true };
  const demanded = (result: ExecuteToolResponse | undefined) => JSON.parse(outputOf(result)) as Demand;
  const first = await messagesOf(one.executeToolInteractively(ctx, { call, client }));
  expect(first.told).toEqual([]);
  const { resultType, inputRequests, requestState } = demanded(first.result);
  const [key = ''] = Object.keys(inputRequests);
  expect(resultType).toBe('input_required');
  expect(inputRequests[key]).toMatchObject({
    method: 'elicitation/create',
    params: { message: 'Who, Bearer ***?' },
  });
  const goOn = (as: RequestContext, responses: object) =>
    messagesOf(
      other.executeToolInteractively(as, {
        call,
        client: { ...client, requestState, inputResponsesJson: json(responses) },
      }),
    );
  const stranger = testContext({ accountId: 'mine', userId: 'eve' });
  await expect(goOn(stranger, { [key]: ANSWER })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(demanded((await goOn(ctx, { none: ANSWER })).result)).toMatchObject({ requestState });
  const { result } = await goOn(ctx, { [key]: ANSWER });
  expect(outputOf(result)).toContain('Ada');
  expect(result?.historyId).toBeGreaterThan(0n);
});

test('a task whose tool asks needs an answer, which any replica takes', async () => {
  const serverId = '01a22541-0000-4000-8000-000000000001';
  const client = { capabilitiesJson: Buffer.from('{"elicitation":{}}'), takesInputRequired: true };
  const call = { toolSlug: 'ask', fieldsJson: {}, mcpServerName: 'Support' };
  const started = await detached.startCall(ctx, { serverId, toolName: 'ask', call, client, waitMs: 60_000 });
  const callId = started.answer.case === 'call' ? started.answer.value.callId : '';
  const { call: asking } = await detached.getCall(ctx, { serverId, callId });
  expect(asking).toMatchObject({
    state: DetachedCallState.INPUT_REQUIRED,
    requests: [{ method: 'elicitation/create' }],
  });
  const resultsJson = { [asking?.requests[0]?.key ?? '']: json(ANSWER), none: json({}) };
  await detached.answerCall(ctx, { serverId, callId, resultsJson });
  const { call: ended } = await detached.getCall(ctx, { serverId, callId, waitMs: 60_000 });
  expect(ended?.state).toBe(DetachedCallState.ENDED);
});

test.each(['unary', 'streaming'])(
  'a call whose %s RPC is cancelled is cancelled at the server, and the history says so',
  async (kind) => {
    const abort = new AbortController();
    const context = { ...ctx, signal: abort.signal };
    const [calls, cancels, closes] = ['tools/call', 'notifications/cancelled', 'closed'].map(
      (name) => (): number => upstream.received.filter((method) => method === name).length,
    );
    const before = { calls: calls?.(), cancels: cancels?.(), closes: closes?.() };
    const fieldsJson = membersOf({ at: kind });
    const call =
      kind === 'unary'
        ? one.executeTool(context, { toolSlug: 'hang', fieldsJson })
        : messagesOf(
            one.executeToolInteractively(context, { call: { toolSlug: 'hang', fieldsJson }, client: {} }),
          );
    const ended = call.catch((error: unknown) => error);
    await vi.waitFor(() => expect(calls?.()).toBeGreaterThan(before.calls ?? 0), WAIT);
    abort.abort();
    await ended;
    await vi.waitFor(() => {
      expect(cancels?.()).toBeGreaterThan(before.cancels ?? 0);
      expect(closes?.()).toBeGreaterThan(before.closes ?? 0);
    }, WAIT);
    await vi.waitFor(async () => {
      const { items } = await one.listExecutions(ctx, { toolSlug: 'hang', page: { top: 1 } });
      expect(items[0]).toMatchObject({ isSuccess: false, errorMessage: 'The call was cancelled.' });
      expect(Buffer.from(items[0]?.fieldsJson ?? new Uint8Array()).toString()).toContain(kind);
    }, WAIT);
  },
);

test('calls of servers that do not respond leave room for those of another', async () => {
  const abort = new AbortController();
  const context = { ...ctx, signal: abort.signal };
  const started = (): number => upstream.received.filter((method) => method === 'tools/call').length;
  const before = started();
  // The maximum number per connection.
  const hanging = [7, 8].flatMap((connectionId) =>
    Array.from({ length: 20 }, () =>
      one.executeTool(context, { toolSlug: 'hang', connectionId, fieldsJson: {} }).catch(() => undefined),
    ),
  );
  await vi.waitFor(() => expect(started() - before).toBe(40), WAIT);
  expect(await one.executeTool(ctx, { toolSlug: 'report', connectionId: 9, fieldsJson: {} })).toMatchObject({
    isSuccess: true,
  });
  abort.abort();
  await Promise.all(hanging);
});
