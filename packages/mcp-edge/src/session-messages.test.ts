import { describe, expect, test } from 'vitest';
import { openSse, postStreaming } from './testing/open-stream.ts';
import { KEY, TOKEN_PATH, clientMessage, errorOf, response, startWayIn } from './testing/way-in.ts';

type WayIn = Awaited<ReturnType<typeof startWayIn>>;

const PROGRESS = { method: 'notifications/progress', params: { progressToken: 7, progress: 1 } };
const request = (method: string, params: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const CALL = request('tools/call', { name: 'a', _meta: { progressToken: 7 } });
const PLAIN_CALL = request('tools/call', { name: 'a' });
const cancelled = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

async function startSession({ post }: WayIn, capabilities: object = {}): Promise<Record<string, string>> {
  const { headers } = await post(TOKEN_PATH, {
    json: request('initialize', { capabilities }, 0),
    headers: KEY,
  });
  return { ...KEY, 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

/** A request that sends its client a notification, and then runs until it is aborted. */
function endless({ state }: WayIn) {
  const begun = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const untilAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted.resolve();
        reject(new Error('aborted'));
      });
      begun.resolve();
    });
  state.converse = async function* ({ ctx }) {
    yield clientMessage(PROGRESS);
    await untilAborted(ctx.signal);
  };
  const { handle } = state;
  state.handle = (handled) => {
    const text = Buffer.from(handled.request.body ?? []).toString();
    if (text.includes('tools/call')) return untilAborted(handled.ctx.signal);
    return text.includes('"id"') ? handle(handled) : Promise.resolve({ httpStatus: 202, body: '' });
  };
  return { begun: begun.promise, aborted: aborted.promise };
}

describe('a session’s client', () => {
  test('that chose a level of log messages can be sent messages, and the service knows the level', async () => {
    const wayIn = await startWayIn();
    const headers = await startSession(wayIn);
    const post = (json: object) => wayIn.post(TOKEN_PATH, { json, headers });
    await post(PLAIN_CALL);
    expect(wayIn.interactive).toEqual([]);
    expect((await post(request('logging/setLevel', { level: 'warning' }))).status).toBe(200);
    await post(PLAIN_CALL);
    expect(wayIn.interactive).toMatchObject([{ request: { logLevel: 'warning' } }]);
    const other = await startSession(wayIn);
    await wayIn.post(TOKEN_PATH, { json: PLAIN_CALL, headers: other });
    expect(wayIn.interactive).toHaveLength(1);
  });

  test('keeps its level if the service refuses another', async () => {
    const wayIn = await startWayIn();
    const headers = await startSession(wayIn);
    wayIn.state.handle = () =>
      Promise.resolve({ httpStatus: 200, body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}' });
    await wayIn.post(TOKEN_PATH, { json: request('logging/setLevel', { level: 'loud' }), headers });
    await wayIn.post(TOKEN_PATH, { json: PLAIN_CALL, headers });
    expect(wayIn.interactive).toEqual([]);
  });

  test('learns that its level cannot be kept', async () => {
    const wayIn = await startWayIn();
    const headers = await startSession(wayIn);
    wayIn.state.isStoreAway = true;
    const json = request('logging/setLevel', { level: 'warning' });
    expect(errorOf(await wayIn.post(TOKEN_PATH, { json, headers }))).toMatchObject({ status: 503, id: 1 });
  });

  test('of HTTP+SSE can be asked what it declared', async () => {
    const wayIn = await startWayIn();
    const stream = await openSse(wayIn);
    const send = (json: object) => wayIn.post(stream.endpoint, { json, headers: KEY });
    await send(request('initialize', { capabilities: { roots: {} } }));
    await expect.poll(stream.messages).toHaveLength(1);
    await send(PLAIN_CALL);
    await expect.poll(stream.messages).toHaveLength(2);
    const [{ request: sent } = { request: undefined }] = wayIn.interactive;
    expect(Buffer.from(sent?.clientCapabilitiesJson ?? []).toString()).toBe('{"roots":{}}');
  });

  test('is served as one of which nothing is known while its record cannot be read', async () => {
    const wayIn = await startWayIn();
    const headers = await startSession(wayIn);
    wayIn.state.isStoreAway = true;
    expect((await wayIn.post(TOKEN_PATH, { json: PLAIN_CALL, headers })).status).toBe(200);
  });
});

describe('a cancellation', () => {
  test('ends the stream of a POST without a response, and the work', async () => {
    const wayIn = await startWayIn();
    const { aborted } = endless(wayIn);
    const headers = await startSession(wayIn);
    const stream = await postStreaming(wayIn, CALL, headers);
    expect((await wayIn.post(TOKEN_PATH, { json: cancelled(1), headers })).status).toBe(202);
    await aborted;
    await stream.ended;
    expect(stream.messages()).toMatchObject([PROGRESS]);
    expect(wayIn.cancelled).toEqual([]);
  });

  test('ends a request that nothing was sent for yet with an empty stream', async () => {
    const wayIn = await startWayIn();
    const { begun } = endless(wayIn);
    const headers = await startSession(wayIn);
    const answer = postStreaming(wayIn, { ...PLAIN_CALL, id: 'a' }, headers);
    await begun;
    await wayIn.post(TOKEN_PATH, { json: cancelled('a'), headers });
    const stream = await answer;
    await stream.ended;
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.text()).toBe('');
  });

  test('on HTTP+SSE leaves the request without an answer', async () => {
    const wayIn = await startWayIn();
    const { aborted } = endless(wayIn);
    const stream = await openSse(wayIn);
    await wayIn.post(stream.endpoint, { json: CALL, headers: KEY });
    await expect.poll(stream.messages).toHaveLength(1);
    await wayIn.post(stream.endpoint, { json: cancelled(1), headers: KEY });
    await aborted;
    wayIn.state.converse = async function* () {
      yield await Promise.resolve(response({ next: true }));
    };
    await wayIn.post(stream.endpoint, { json: CALL, headers: KEY });
    await expect.poll(stream.messages).toMatchObject([PROGRESS, { result: { next: true } }]);
  });

  test.each([
    ['of another session', async (wayIn: WayIn) => startSession(wayIn), 1],
    ['without a session', () => Promise.resolve(KEY), 1],
    ['of an id of another kind', (_: WayIn, own: Record<string, string>) => Promise.resolve(own), '1'],
  ])('%s cancels nothing here', async (_name, headersOf, id) => {
    const wayIn = await startWayIn();
    endless(wayIn);
    const own = await startSession(wayIn);
    await postStreaming(wayIn, CALL, own);
    const headers = await headersOf(wayIn, own);
    await wayIn.post(TOKEN_PATH, { json: cancelled(id), headers });
    expect(wayIn.interactive[0]?.ctx.signal.aborted).toBe(false);
  });

  test('reaches a request on another replica, at a bounded rate', async () => {
    const [here, there] = [await startWayIn(), await startWayIn()];
    const { aborted } = endless(there);
    const headers = await startSession(here);
    const stream = await postStreaming(there, CALL, headers);
    for (let i = 0; i < 30; i += 1) await here.post(TOKEN_PATH, { json: cancelled(1), headers });
    expect(here.cancelled).toHaveLength(20);
    expect(here.cancelled[0]?.sessionKey).toMatch(/^[A-Za-z0-9_-]{43}$/);
    here.cancelled.forEach(there.cancel);
    await aborted;
    await stream.ended;
    expect(stream.messages()).toMatchObject([PROGRESS]);
  });
});

test('messages that no budget counts are bounded for each account', async () => {
  const wayIn = await startWayIn();
  const send = () =>
    wayIn.post(TOKEN_PATH, { json: { jsonrpc: '2.0', id: 'ask_1', result: {} }, headers: KEY });
  const passed: number[] = [];
  for (let i = 0; i < 2_100; i += 50)
    passed.push(...(await Promise.all(Array.from({ length: 50 }, send))).map(({ status }) => status));
  expect(passed.filter((status) => status === 429)).toHaveLength(100);
  expect(wayIn.handled).toHaveLength(2_000);
  expect(wayIn.counted).toEqual([]);
  wayIn.clock.advance(1_000);
  expect((await send()).status).toBe(200);
});
