import { ApiError } from '@fairlead/errors/api-error';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSse, postStreaming } from './testing/open-stream.ts';
import { KEY, TOKEN_PATH, clientMessage, response, startWayIn } from './testing/way-in.ts';
import type { Conversation } from './testing/way-in.ts';

type WayIn = Awaited<ReturnType<typeof startWayIn>>;

const PROGRESS = { method: 'notifications/progress', params: { progressToken: 7, progress: 1 } };
const QUESTION = { id: 'ask_1', method: 'elicitation/create', params: { message: 'Which?' } };
const RESPONSE = { jsonrpc: '2.0', id: 1, result: { content: [] } };

const call = (params: object = {}, method = 'tools/call') => ({ jsonrpc: '2.0', id: 1, method, params });
const TRACKED = call({ name: 'a', _meta: { progressToken: 7 } });

async function startSession({ post }: WayIn, capabilities: object): Promise<Record<string, string>> {
  const json = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { capabilities } };
  const { headers } = await post(TOKEN_PATH, { json, headers: KEY });
  return { ...KEY, 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

/** A conversation in which the client gets a notification and a request; it ends when `finish` is called. */
function held(wayIn: WayIn) {
  const finish = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const ended: string[] = [];
  wayIn.state.converse = async function* ({ ctx }) {
    ctx.signal.addEventListener('abort', () => aborted.resolve());
    yield clientMessage(PROGRESS);
    yield clientMessage(QUESTION);
    await finish.promise;
    ended.push(ctx.requestId);
    yield response({ content: [] });
  };
  return { finish: () => finish.resolve(), aborted: aborted.promise, ended };
}

describe('a client can be sent messages before the response', () => {
  test.each([
    ['of a call that names a token for its progress', TRACKED],
    ['of a prompt that names one', call({ _meta: { progressToken: 'p' } }, 'prompts/get')],
    [
      'of a request that declares what it can be asked',
      call({
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
        },
      }),
    ],
    [
      'of a request that wants log messages',
      call({
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/logLevel': 'info',
        },
      }),
    ],
  ])('%s', async (_name, json) => {
    const { post, interactive } = await startWayIn();
    const answer = await post(TOKEN_PATH, { json, headers: { ...KEY, 'mcp-method': 'x' } });
    expect(answer).toMatchObject({ status: 200, body: { id: 1, result: {} } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(interactive).toHaveLength(1);
    const [{ request } = { request: undefined }] = interactive;
    expect(Buffer.from(request?.message?.body ?? []).toString()).toBe(JSON.stringify(json));
    expect(request?.message?.methodHeader).toBe('x');
  });

  test('in a session whose client declared that it can be asked, on any replica', async () => {
    const wayIn = await startWayIn();
    const headers = await startSession(wayIn, {
      sampling: {},
      elicitation: { url: {} },
      experimental: { a: {} },
    });
    await wayIn.post(TOKEN_PATH, { json: call(), headers });
    const [{ request } = { request: undefined }] = wayIn.interactive;
    expect(JSON.parse(Buffer.from(request?.clientCapabilitiesJson ?? []).toString())).toEqual({
      sampling: {},
      elicitation: { url: {} },
    });
  });

  test.each([
    ['a call without any of that', call()],
    ['a list', call({ _meta: { progressToken: 7 } }, 'tools/list')],
    ['a notification', { ...TRACKED, id: undefined }],
    [
      'a request that declares nothing',
      call({
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      }),
    ],
  ])('but not of %s', async (_name, json) => {
    const wayIn = await startWayIn();
    await wayIn.post(TOKEN_PATH, { json, headers: await startSession(wayIn, {}) });
    expect([wayIn.interactive.length, wayIn.handled.length]).toEqual([0, 2]);
  });
});

describe('the answer to a POST', () => {
  test('becomes a stream with the first message that precedes the response, which is its last event', async () => {
    const wayIn = await startWayIn();
    const { finish } = held(wayIn);
    const stream = await postStreaming(wayIn, TRACKED);
    const { headers, status } = stream.response;
    expect([status, headers.get('content-type'), headers.get('x-accel-buffering')]).toEqual([
      200,
      'text/event-stream',
      'no',
    ]);
    await expect.poll(stream.messages).toMatchObject([PROGRESS, QUESTION]);
    finish();
    await stream.ended;
    expect(stream.messages().slice(2)).toEqual([RESPONSE]);
  });

  test('as a stream ends with the error of a failure that comes later', async () => {
    const wayIn = await startWayIn();
    wayIn.state.converse = async function* () {
      yield await Promise.resolve(clientMessage(PROGRESS));
      throw new ApiError('UNAVAILABLE', 'Away.');
    };
    const stream = await postStreaming(wayIn, TRACKED);
    await stream.ended;
    expect(stream.messages()).toMatchObject([
      PROGRESS,
      { id: 1, error: { message: 'Away.', data: { errorCode: 'UNAVAILABLE' } } },
    ]);
  });

  test('as a stream ends with an error when the time is over, and the work is cancelled', async () => {
    const wayIn = await startWayIn({ runTimeoutMs: 2_000 });
    const { aborted } = held(wayIn);
    const stream = await postStreaming(wayIn, TRACKED);
    await stream.ended;
    expect(stream.messages().at(-1)).toMatchObject({ id: 1, error: { data: { errorCode: 'TIMEOUT' } } });
    await aborted;
  });

  test('of a failure that comes first is an error with its status', async () => {
    const wayIn = await startWayIn();
    wayIn.state.converse = async function* () {
      yield* [];
      throw await Promise.resolve(new ApiError('UNAVAILABLE', 'Away.'));
    };
    expect((await wayIn.post(TOKEN_PATH, { json: TRACKED, headers: KEY })).status).toBe(503);
  });

  test('as a stream shows that it is alive', async () => {
    const time = new VirtualTime(0);
    const wayIn = await startWayIn({ timers: time.timers(() => true) });
    held(wayIn);
    const stream = await postStreaming(wayIn, TRACKED);
    await expect.poll(stream.messages).toHaveLength(2);
    for (const count of [1, 2]) {
      await time.runUntil(count * 15_000);
      await expect.poll(() => stream.text().split(': keep-alive\n\n').length - 1).toBe(count);
    }
  });

  test('as a stream is cut off if its client takes nothing for a minute, and takes no more meanwhile', async () => {
    const time = new VirtualTime(0);
    const wayIn = await startWayIn({ timers: time.timers(() => true) });
    let sent = 0;
    const aborted = Promise.withResolvers<void>();
    wayIn.state.converse = async function* ({ ctx }: Conversation) {
      ctx.signal.addEventListener('abort', () => aborted.resolve());
      while (!ctx.signal.aborted) {
        yield await Promise.resolve(
          clientMessage({ method: 'x', params: { text: 'x'.repeat(1024 * 1024) } }),
        );
        sent += 1;
      }
    };
    const left = new AbortController();
    onTestFinished(() => left.abort());
    await fetch(wayIn.service.url + TOKEN_PATH, {
      method: 'POST',
      headers: { ...KEY, 'content-type': 'application/json' },
      body: JSON.stringify(TRACKED),
      signal: left.signal,
    });
    let before = -1;
    // Writes until the socket buffers are full.
    await expect
      .poll(
        () => {
          const isFilled = before === sent;
          before = sent;
          return isFilled;
        },
        { interval: 200, timeout: 90_000 },
      )
      .toBe(true);
    expect(sent).toBeLessThan(100);
    await time.runUntil(60_000);
    await aborted.promise;
  });
});

describe('a client that disconnects', () => {
  test('cancels its request if it has no session', async () => {
    const wayIn = await startWayIn();
    const { aborted } = held(wayIn);
    const stream = await postStreaming(wayIn, TRACKED);
    stream.leave();
    await expect(aborted).resolves.toBeUndefined();
  });

  test('cancels nothing in a session', async () => {
    const wayIn = await startWayIn();
    const { finish, ended } = held(wayIn);
    const stream = await postStreaming(wayIn, TRACKED, await startSession(wayIn, {}));
    stream.leave();
    await wayIn.service.lineOf(stream.response.headers.get('x-request-id'));
    finish();
    await expect.poll(() => ended).toHaveLength(1);
    expect(wayIn.interactive[0]?.ctx.signal.aborted).toBe(false);
  });
});

test('on HTTP+SSE all messages come on the stream, in order', async () => {
  const wayIn = await startWayIn();
  const { finish } = held(wayIn);
  const stream = await openSse(wayIn);
  expect((await wayIn.post(stream.endpoint, { json: TRACKED, headers: KEY })).status).toBe(202);
  await expect.poll(stream.messages).toMatchObject([PROGRESS, QUESTION]);
  finish();
  await expect.poll(stream.messages).toMatchObject([PROGRESS, QUESTION, RESPONSE]);
});

test('a call with a key runs once, whatever its client is sent meanwhile; its result comes again as JSON', async () => {
  const wayIn = await startWayIn();
  const { finish } = held(wayIn);
  const keyed = call({ name: 'a', _meta: { progressToken: 7, 'dev.fairlead/idempotencyKey': 'k-1' } });
  const stream = await postStreaming(wayIn, keyed);
  finish();
  await stream.ended;
  expect(stream.messages()).toMatchObject([PROGRESS, QUESTION, RESPONSE]);
  const again = await wayIn.post(TOKEN_PATH, { json: keyed, headers: KEY });
  expect(again).toMatchObject({ status: 200, body: RESPONSE });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(wayIn.interactive).toHaveLength(1);
});

describe('a page of a list', () => {
  test('is sent by the service once, and answered whole on either wire', async () => {
    const wayIn = await startWayIn();
    const page = '["one","two"]';
    const asked: string[] = [];
    wayIn.state.handle = ({ request }) => {
      const kept = Buffer.from(request.keptPartDigest ?? []).toString();
      asked.push(kept);
      const isLeftOut = kept === 'digest';
      const before = '{"jsonrpc":"2.0","id":1,"result":{"tools":';
      const body = `${before}${isLeftOut ? '' : page}}}`;
      const commonPart = {
        digest: Buffer.from('digest'),
        offset: before.length,
        size: page.length,
        isLeftOut,
      };
      return Promise.resolve({ httpStatus: 200, body, commonPart });
    };
    const expected = { jsonrpc: '2.0', id: 1, result: { tools: ['one', 'two'] } };
    const list = (params?: object) =>
      wayIn.post(TOKEN_PATH, { headers: KEY, json: call(params, 'tools/list') });
    for (let at = 0; at < 2; at += 1) expect((await list()).body).toMatchObject(expected);
    expect((await list({ cursor: 'x' })).body).toMatchObject(expected);
    const stream = await openSse(wayIn);
    await wayIn.post(stream.endpoint, { headers: KEY, json: call({}, 'tools/list') });
    await expect.poll(stream.answers).toEqual([JSON.stringify(expected)]);
    expect(asked).toEqual(['', 'digest', '', 'digest']);
  });
});

describe('a client listens to changes', () => {
  const LISTEN = {
    ...call({ notifications: { toolsListChanged: true } }, 'subscriptions/listen'),
    id: 'sub-1',
  };
  const ACKNOWLEDGED = { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } };
  const CHANGED = { method: 'notifications/tools/list_changed' };

  test('on the answer to its request, which outlasts the time of others and ends with a result', async () => {
    const wayIn = await startWayIn({ runTimeoutMs: 1_000 });
    const change = Promise.withResolvers<void>();
    let end: AbortSignal | undefined;
    wayIn.state.converse = async function* ({ ctx }) {
      end = ctx.signal;
      expect(ctx.deadline).toBeUndefined();
      yield clientMessage(ACKNOWLEDGED);
      await change.promise;
      yield clientMessage(CHANGED);
      await new Promise((resolve) => {
        ctx.signal.addEventListener('abort', resolve);
      });
    };
    const stream = await postStreaming(wayIn, LISTEN);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    await expect.poll(stream.messages).toMatchObject([ACKNOWLEDGED]);
    change.resolve();
    await expect.poll(stream.messages).toMatchObject([ACKNOWLEDGED, CHANGED]);
    await wayIn.streams.drain(10_000);
    await stream.ended;
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 'sub-1' };
    expect(stream.messages()[2]).toEqual({
      jsonrpc: '2.0',
      id: 'sub-1',
      result: { resultType: 'complete', _meta },
    });
    expect(end?.aborted).toBe(true);
  });

  test('a client that leaves ends the request', async () => {
    const wayIn = await startWayIn();
    const aborted = Promise.withResolvers<void>();
    wayIn.state.converse = async function* ({ ctx }) {
      yield clientMessage(ACKNOWLEDGED);
      await new Promise((resolve) => {
        ctx.signal.addEventListener('abort', resolve);
      });
      aborted.resolve();
    };
    const stream = await postStreaming(wayIn, LISTEN);
    await expect.poll(stream.messages).toHaveLength(1);
    stream.leave();
    await aborted.promise;
  });

  test('a request that is refused has a plain response', async () => {
    const wayIn = await startWayIn();
    wayIn.state.converse = async function* () {
      yield await Promise.resolve(response({}));
    };
    const { response: answer, text, ended } = await postStreaming(wayIn, LISTEN);
    expect(answer.headers.get('content-type')).toContain('application/json');
    await ended;
    expect(JSON.parse(text())).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });
});
