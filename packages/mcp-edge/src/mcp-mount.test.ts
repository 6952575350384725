import { Code, ConnectError } from '@connectrpc/connect';
import { ChannelError } from '@fairlead/connect-fast/channel-error';
import { ApiError } from '@fairlead/errors/api-error';
import { callHttp } from '@fairlead/service-kit/testing/http';
import { recordSpans } from '@fairlead/service-kit/testing/recording-tracer';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { KEY, LIST, PUBLIC_URL, TOKEN, TOKEN_PATH, errorOf, startWayIn } from './testing/way-in.ts';

const PATIENCE = { timeout: 90_000, interval: 5 };

describe('a message', () => {
  test.each(['mcp', 'sse'])('to …/%s reaches the service as it was sent, as its caller', async (ending) => {
    const { post, handled } = await startWayIn();
    const body = ' {"jsonrpc":"2.0", "id":1,"method":"tools/call","params":{"name":"a","n":1.50}}\n';
    const answer = await post(`/mcp/${TOKEN}/${ending}?x=1`, {
      body,
      headers: {
        ...KEY,
        'content-type': 'application/json',
        'MCP-Protocol-Version': '2025-11-25',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'a',
        'Mcp-Param-Region': 'eu',
      },
    });
    expect(answer).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(handled).toHaveLength(1);
    const [{ ctx, request } = { ctx: undefined, request: undefined }] = handled;
    expect(Buffer.from(request?.body ?? []).toString()).toBe(body);
    expect(request).toMatchObject({
      serverId: '0b7c1c1e-6f0e-4d0a-9d39-2f6d1f5b8a10',
      protocolVersion: '2025-11-25',
      methodHeader: 'tools/call',
      nameHeader: 'a',
      paramHeaders: { region: 'eu' },
    });
    expect(ctx?.caller).toMatchObject({ kind: 'user', accountId: 'acc_1', userId: 'usr of acc_1' });
    expect(ctx?.caller).not.toHaveProperty('confinement');
  });

  test('that needs no answer gets the status without a body', async () => {
    const { post, state } = await startWayIn();
    state.handle = () => Promise.resolve({ httpStatus: 202, body: '' });
    const answer = await post(TOKEN_PATH, { headers: KEY });
    expect(answer).toMatchObject({ status: 202, body: { text: '' } });
    expect(answer.headers.get('content-type')).toBeNull();
  });

  test('whose answer is large is answered with its bytes', async () => {
    const { post, state } = await startWayIn();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'é'.repeat(100_000) } });
    state.handle = () => Promise.resolve({ httpStatus: 200, body });
    expect((await post(TOKEN_PATH, { headers: KEY })).body['text']).toBe(body);
  });

  test('of a key that is confined to a toolset is confined to it', async () => {
    const { post, handled, state } = await startWayIn();
    state.toolsetId = 'toolset-1';
    await post(TOKEN_PATH, { headers: KEY });
    expect(handled[0]?.ctx.caller).toMatchObject({
      confinement: { toolsetId: 'toolset-1', keyId: 'own' },
    });
  });

  test('of a client that goes away is cancelled', async () => {
    const { service, state } = await startWayIn();
    const aborted = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    state.handle = ({ ctx }) => {
      ctx.signal.addEventListener('abort', () => aborted.resolve());
      begun.resolve();
      return new Promise(() => undefined);
    };
    const gone = new AbortController();
    const sent = fetch(service.url + TOKEN_PATH, {
      method: 'POST',
      headers: { ...KEY, 'content-type': 'application/json' },
      body: JSON.stringify(LIST),
      signal: gone.signal,
    });
    await begun.promise;
    gone.abort();
    await expect(sent).rejects.toThrow('aborted');
    await aborted.promise;
  });
});

describe('requests', () => {
  test('are counted for the account of the server, each of a batch, but no ping, notification or response', async () => {
    const { post, counted, metered } = await startWayIn();
    const send = (json: unknown) => post(TOKEN_PATH, { json, headers: KEY });
    await send(LIST);
    await send({ ...LIST, method: 'ping' });
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await send({ jsonrpc: '2.0', id: 1, result: {} });
    expect(counted).toEqual(['acc_1']);
    await send([LIST, { ...LIST, id: 2 }, { ...LIST, id: 3, method: 'ping' }]);
    expect(counted).toEqual(['acc_1', 'acc_1', 'acc_1']);
    expect(metered).toEqual(counted);
  });

  test('beyond the budget are refused as JSON-RPC answers them, and reach nobody', async () => {
    const { post, state, handled, metered } = await startWayIn();
    state.callsLeft = 1;
    const json = { ...LIST, id: 'a' };
    expect((await post(TOKEN_PATH, { json, headers: KEY })).headers.get('ratelimit')).toBe('"burst";r=0;t=1');
    const refused = await post(TOKEN_PATH, { json, headers: KEY });
    expect(errorOf(refused)).toMatchObject({
      status: 429,
      jsonrpc: '2.0',
      id: 'a',
      code: -32_000,
      data: { errorCode: 'RATE_LIMIT_EXCEEDED' },
    });
    expect(['retry-after', 'ratelimit', 'ratelimit-policy'].map((name) => refused.headers.get(name))).toEqual(
      ['3600', '"burst";r=0;t=1', '"burst";q=50;w=1'],
    );
    expect([handled.length, metered.length]).toEqual([1, 1]);
    const ping = await post(TOKEN_PATH, { json: { ...LIST, method: 'ping' }, headers: KEY });
    expect(ping.status).toBe(200);
    state.callsLeft = 1;
    const batch = await post(TOKEN_PATH, { json: [LIST, LIST], headers: KEY });
    expect([batch.status, batch.headers.get('ratelimit')]).toEqual([429, '"burst";r=1;t=1']);
    expect([handled.length, state.callsLeft]).toEqual([2, 1]);
  });
});

describe('a refusal', () => {
  test.each<[string, number, number, { headers?: Record<string, string>; body?: string }]>([
    ['not JSON', 400, -32_700, { body: '{"id":1,' }],
    ['no message', 400, -32_600, { body: '[]' }],
    ['too large', 413, -32_000, { body: `"${'x'.repeat(5 * 1024 * 1024)}"` }],
    ['another media type', 415, -32_000, { headers: { 'content-type': 'text/plain' } }],
    ['answers that are not accepted', 406, -32_600, { headers: { accept: 'text/html' } }],
  ])('%s', async (_name, status, code, { headers = {}, body = JSON.stringify(LIST) }) => {
    const { post, handled, counted } = await startWayIn();
    const answer = await post(TOKEN_PATH, {
      body,
      headers: { ...KEY, 'content-type': 'application/json', ...headers },
    });
    expect(errorOf(answer)).toMatchObject({ status, jsonrpc: '2.0', id: null, code });
    expect(answer.headers.get('ratelimit')).not.toBeNull();
    expect([handled, counted]).toEqual([[], []]);
  });

  test.each(['PATCH', 'PUT'])('%s is 405 for a client that may call, 401 for others', async (method) => {
    const { service } = await startWayIn();
    const answer = await callHttp(service, method, TOKEN_PATH, { headers: KEY });
    expect(errorOf(answer)).toMatchObject({ status: 405, jsonrpc: '2.0', id: null });
    expect(answer.headers.get('allow')).toBe('GET, POST, DELETE');
    expect((await callHttp(service, method, TOKEN_PATH)).status).toBe(401);
  });

  test.each([
    ['UNAVAILABLE', 503, -32_000],
    ['TIMEOUT', 504, -32_000],
    ['FORBIDDEN', 403, -32_000],
  ] as const)('%s of the service has the id of the request', async (errorCode, status, code) => {
    const { post, state } = await startWayIn();
    state.handle = () => Promise.reject(new ApiError(errorCode, 'No.'));
    expect(errorOf(await post(TOKEN_PATH, { headers: KEY }))).toMatchObject({
      status,
      id: 1,
      code,
      message: 'No.',
      data: { errorCode },
    });
  });

  test('of a message that was sent and not answered says that it may have taken effect', async () => {
    const { post, state } = await startWayIn();
    const fail = (wasSent: boolean) => {
      const broken = new ConnectError(
        '',
        Code.Unavailable,
        undefined,
        undefined,
        new ChannelError('', wasSent),
      );
      state.handle = () => Promise.reject(new ApiError('UNAVAILABLE', 'Away.', { cause: broken }));
      return post(TOKEN_PATH, { headers: KEY });
    };
    expect((await fail(true)).status).toBe(504);
    expect((await fail(false)).status).toBe(503);
  });

  test('of a defect is an internal error that tells nothing of it', async () => {
    const { post, state } = await startWayIn();
    state.handle = () => Promise.reject(new Error('secret'));
    const answer = await post(TOKEN_PATH, { headers: KEY });
    expect(errorOf(answer)).toMatchObject({ status: 500, id: 1, code: -32_603 });
    expect(answer.body['text']).not.toContain('secret');
  });

  test('comes as soon as the time is over, though nobody answers', async () => {
    const { post, state } = await startWayIn({ runTimeoutMs: 100 });
    state.handle = () => new Promise(() => undefined);
    expect(errorOf(await post(TOKEN_PATH, { headers: KEY }))).toMatchObject({ status: 504, id: 1 });
  });
});

describe('scripts of other sites', () => {
  test('are refused before anything is looked up, also in their preflight', async () => {
    const { service, post, state } = await startWayIn();
    const headers = { ...KEY, origin: 'https://evil.example' };
    const refused = await post(TOKEN_PATH, { headers });
    expect(errorOf(refused)).toMatchObject({ status: 403, id: null, data: { errorCode: 'FORBIDDEN' } });
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await callHttp(service, 'OPTIONS', TOKEN_PATH, { headers });
    expect(preflight.status).toBe(403);
    expect(state.lookups).toBe(0);
  });

  test('of an allowed origin may send every header and read those of the protocol', async () => {
    const { service, post } = await startWayIn();
    const headers = { origin: PUBLIC_URL };
    const preflight = await callHttp(service, 'OPTIONS', TOKEN_PATH, { headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(PUBLIC_URL);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('Authorization, *');
    const unauthorized = await post(TOKEN_PATH, { headers });
    expect(unauthorized.status).toBe(401);
    expect(unauthorized.headers.get('access-control-allow-origin')).toBe(PUBLIC_URL);
    expect(unauthorized.headers.get('vary')).toBe('Origin');
    expect(unauthorized.headers.get('access-control-expose-headers')).toMatch(
      /^Mcp-Session-Id, WWW-Authenticate, /,
    );
  });
});

test('no token is in a log line, metric or span', async () => {
  const { spans, stop } = recordSpans();
  onTestFinished(stop);
  const { service, post, state } = await startWayIn();
  const metadata = `/.well-known/oauth-protected-resource${TOKEN_PATH}`;
  const answers = [
    await post(TOKEN_PATH, { headers: KEY }),
    await post(TOKEN_PATH),
    await callHttp(service, 'GET', metadata),
  ];
  state.handle = () => Promise.reject(new Error('broken'));
  answers.push(await post(TOKEN_PATH, { headers: KEY }));
  const lines = await Promise.all(answers.map(({ headers }) => service.lineOf(headers.get('x-request-id'))));
  expect(lines.map(({ route }) => route)).toEqual([
    '/mcp/{token}/mcp',
    '/mcp/{token}/mcp',
    '/.well-known/oauth-protected-resource/mcp/{token}/mcp',
    '/mcp/{token}/mcp',
  ]);
  expect(lines[0]).toMatchObject({ accountId: 'acc_1', userId: 'usr of acc_1' });
  await vi.waitFor(
    () => expect(spans.filter(({ hasEnded }) => hasEnded).length).toBe(spans.length),
    PATIENCE,
  );
  expect(JSON.stringify([service.lines(), spans, registry.render()])).not.toContain(TOKEN);
});
