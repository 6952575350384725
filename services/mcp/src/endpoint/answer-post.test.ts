import { ApiError, notFound } from '@fairlead/errors/api-error';
import { expect, test } from 'vitest';
import { answerPost } from './answer-post.ts';
import type { RpcRequest } from './answer-post.ts';
import { RpcError } from './json-rpc.ts';
import type { ProtocolHeaders } from './request-envelope.ts';

async function post(body: unknown, headers: ProtocolHeaders = {}, error?: Error) {
  const served: RpcRequest[] = [];
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const bytes = body instanceof Uint8Array ? body : Buffer.from(text);
  const serve = (request: RpcRequest) => {
    served.push(request);
    return error === undefined ? Promise.resolve({ ok: true }) : Promise.reject(error);
  };
  const passed: unknown[] = [];
  const answer = await answerPost(bytes, headers, {
    serve,
    answer({ key, answer: { kind, json: bytesOf } }) {
      passed.push([key, kind, Buffer.from(bytesOf).toString()]);
      return Promise.resolve();
    },
    onFault: () => undefined,
  });
  const answered = answer.body === undefined ? undefined : Buffer.from(answer.body).toString();
  const json: unknown = answered === undefined ? undefined : JSON.parse(answered);
  return { status: answer.status, json, text: answered, served, passed };
}
const request = (o: object = {}) => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...o });
const errorOf = (code: number, id: unknown = null) => ({ jsonrpc: '2.0', id, error: { code } });

test('a request has one response, with its id as it was sent', async () => {
  expect(await post(request())).toMatchObject({
    status: 200,
    json: { jsonrpc: '2.0', id: 1, result: { ok: true } },
  });
  expect((await post('{"jsonrpc":"2.0","id":12345678901234567890,"method":"m"}')).text).toContain(
    '"id":12345678901234567890,',
  );
  expect(await post(request({ id: 'a"b' }))).toMatchObject({ json: { id: 'a"b' } });
});

test('notifications and responses are accepted and have no answer', async () => {
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } },
  ])
    expect(await post(message)).toMatchObject({ status: 202, json: undefined, served: [] });
});

test('responses are passed on as they were sent, those of a batch before its requests', async () => {
  const result = '{"jsonrpc":"2.0","id":"ask_1","result":{"n":1.50}}';
  const error = '{"jsonrpc":"2.0","id":"ask_2","error":{"code":-1,"message":"no"}}';
  expect(await post(result)).toMatchObject({ status: 202, passed: [['ask_1', 'result', '{"n":1.50}']] });
  const batch = await post(`[${JSON.stringify(request())},${result},${error}]`);
  expect(batch.status).toBe(200);
  expect(batch.passed).toEqual([
    ['ask_1', 'result', '{"n":1.50}'],
    ['ask_2', 'error', '{"code":-1,"message":"no"}'],
  ]);
  expect((await post({ jsonrpc: '2.0', id: 7, result: {} })).passed).toEqual([[undefined, 'result', '{}']]);
});

test('a batch whose response cannot be passed on executes nothing', async () => {
  const body = [request(), { jsonrpc: '2.0', id: 'ask_1', result: {} }];
  let servedCount = 0;
  const answering = answerPost(
    Buffer.from(JSON.stringify(body)),
    {},
    {
      serve: () => Promise.resolve({ count: (servedCount += 1) }),
      answer: () => Promise.reject(new ApiError('UNAVAILABLE', 'Later.')),
      onFault: () => undefined,
    },
  );
  await expect(answering).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(servedCount).toBe(0);
});

test.each([
  ['no JSON', '{', -32_700],
  ['a result that is no object', { jsonrpc: '2.0', id: 1, result: [] }, -32_600],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32_700],
  ['a text', '"a"', -32_600],
  ['an empty batch', '[]', -32_600],
  ['another version of JSON-RPC', request({ jsonrpc: '1.0' }), -32_600],
  ['neither method nor result', { jsonrpc: '2.0', id: 1 }, -32_600],
  ['an id that is null', request({ id: null }), -32_600],
  ['an id that is a fraction', request({ id: 1.5 }), -32_600],
  ['params that are a list', request({ params: [] }), -32_600],
  ['text that is not Unicode', '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32_600],
  [
    'too many levels',
    `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":${'['.repeat(60)}${']'.repeat(60)}}}`,
    -32_600,
  ],
])('a body with %s is refused', async (_what, body, code) => {
  expect(await post(body)).toMatchObject({ status: 400, json: errorOf(code), served: [] });
});

test('errors of a request are answered with its id; those of the caller or the server are not', async () => {
  const unknown = new RpcError(-32_601, 'no');
  expect(await post(request(), {}, unknown)).toMatchObject({ status: 200, json: errorOf(-32_601, 1) });
  const limit = new ApiError('RATE_LIMIT_EXCEEDED', 'Too many.', { retryAfterSeconds: 7 });
  expect(await post(request(), {}, limit)).toMatchObject({
    status: 200,
    json: { error: { code: -32_603, data: { errorCode: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 7 } } },
  });
  await expect(post(request(), {}, notFound('MCP server'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('the header may name any version with a handshake, but no other; a handshake may follow any', async () => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', undefined])
    expect(await post(request(), { version })).toMatchObject({ status: 200 });
  for (const version of ['2025-01-01', 'x', ''])
    expect(await post(request(), { version })).toMatchObject({ status: 400, json: errorOf(-32_000, 1) });
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect(await post(notification, { version: '2025-01-01' })).toMatchObject({ status: 400 });
  expect(await post(request({ method: 'initialize' }), { version: '2025-01-01' })).toMatchObject({
    status: 200,
  });
});

test('a batch of the version that has batches is answered in one body, without its notifications', async () => {
  const batch = [request(), { jsonrpc: '2.0', method: 'notifications/cancelled' }, request({ id: 'b' })];
  for (const version of [undefined, '2025-03-26'])
    expect(await post(batch, { version })).toMatchObject({ status: 200, json: [{ id: 1 }, { id: 'b' }] });
  expect(await post([batch[1]])).toMatchObject({ status: 202 });
  for (const version of ['2025-06-18', '2025-11-25', '2026-07-28'])
    expect(await post(batch, { version })).toMatchObject({ status: 400, json: errorOf(-32_600), served: [] });
});

test('a batch is refused as a whole if a message must be sent by itself', async () => {
  const claim = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  for (const batch of [
    [request(), request({ method: 'initialize' })],
    [request(), 1],
    [
      request(),
      request({ params: { _meta: { ...claim, 'io.modelcontextprotocol/clientCapabilities': {} } } }),
    ],
  ])
    expect(await post(batch)).toMatchObject({ status: 400, served: [] });
});

test('without a handshake, an unknown method is 404', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { version: '2026-07-28', method: 'none' };
  const answer = await post(
    request({ method: 'none', params: { _meta } }),
    headers,
    new RpcError(-32_601, 'no'),
  );
  expect(answer).toMatchObject({ status: 404, json: errorOf(-32_601, 1), served: [{ isStateless: true }] });
});

const call = (id: number) => request({ id, method: 'tools/call' });
const served = (
  result: (at: number) => Promise<Record<string, string>>,
  body: unknown,
  onFault: (error: unknown) => void = () => undefined,
) => {
  let at = 0;
  return answerPost(
    Buffer.from(JSON.stringify(body)),
    {},
    {
      serve: () => result((at += 1)),
      answer: () => Promise.resolve(),
      onFault,
    },
  );
};
const parsed = ({ body }: { body: Uint8Array | undefined }): unknown =>
  JSON.parse(Buffer.from(body ?? []).toString());

test('a request of a batch that fails leaves the others their results', async () => {
  const faults: unknown[] = [];
  const failures = [notFound('MCP server'), new Error('a secret'), new RpcError(-32_602, 'no')];
  const answer = await served(
    (at) => {
      const failure = failures[at - 2];
      return failure === undefined ? Promise.resolve({ ok: 'yes' }) : Promise.reject(failure);
    },
    [call(1), call(2), call(3), call(4)],
    (error) => faults.push(error),
  );
  expect(answer.status).toBe(200);
  expect(faults).toEqual([failures[1]]);
  expect(parsed(answer)).toMatchObject([
    { id: 1, result: { ok: 'yes' } },
    { id: 2, error: { code: -32_603, data: { errorCode: 'NOT_FOUND' } } },
    { id: 3, error: { code: -32_603, message: 'INTERNAL: An internal error occurred.' } },
    { id: 4, error: { code: -32_602 } },
  ]);
});

test('a batch of which every request fails is refused as a whole', async () => {
  await expect(post([call(1), call(2)], {}, notFound('MCP server'))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a result that is too large for its batch says that the call was executed; smaller ones are kept', async () => {
  const large = 'x'.repeat(5 * 1024 * 1024);
  const answer = await served(
    (at) => Promise.resolve({ content: at === 3 ? 'small' : large, structuredContent: 'x', other: 'kept' }),
    [call(1), call(2), call(3), request({ id: 4 })],
  );
  expect(answer.body?.length).toBeLessThan(8 * 1024 * 1024);
  expect(parsed(answer)).toMatchObject([
    { id: 1, result: { content: large } },
    {
      id: 2,
      result: {
        content: [{ text: 'The call was executed, but its result is too large for the batch.' }],
        isError: true,
        other: 'kept',
      },
    },
    { id: 3, result: { content: 'small' } },
    { id: 4, error: { code: -32_603 } },
  ]);
  expect(
    Object.keys(Reflect.get(Object(Reflect.get(Object(parsed(answer)), 1)), 'result') as object),
  ).not.toContain('structuredContent');
});

test('a result that no message can hold says that the call was executed', async () => {
  const answer = await served(() => Promise.resolve({ content: 'x'.repeat(16 * 1024 * 1024) }), call(1));
  expect(parsed(answer)).toMatchObject({ id: 1, result: { isError: true } });
});
