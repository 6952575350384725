import { ApiError } from '@fairlead/errors/api-error';
import type { Answer } from '@fairlead/service-kit/testing/http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ID_PATH, KEY, TOKEN, TOKEN_PATH, bearer, startWayIn } from './testing/way-in.ts';

const FIELD = 'params._meta["dev.fairlead/idempotencyKey"]';

type WayIn = Awaited<ReturnType<typeof startWayIn>>;

/** The JSON of a tool call; `args` is inserted unchanged. */
function callOf(o: { id?: unknown; key?: unknown; name?: string; args?: string } = {}): string {
  const { id = 1, key = 'key', name = 'create', args = '{"a":1}' } = o;
  const meta = JSON.stringify({ progressToken: id, 'dev.fairlead/idempotencyKey': key });
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"_meta":${meta},"name":"${name}","arguments":${args}}}`;
}

const call = ({ post }: WayIn, o: Parameters<typeof callOf>[0] = {}, path = TOKEN_PATH): Promise<Answer> =>
  post(path, { body: callOf(o), headers: { ...KEY, 'content-type': 'application/json' } });

/** An edge with a service whose n-th result is n, with further members if given. */
async function startCounting(more: object = {}) {
  const wayIn = await startWayIn();
  wayIn.state.handle = ({ request }) => {
    // The posted body.
    const { id } = JSON.parse(Buffer.from(request.body ?? []).toString()) as { readonly id: unknown };
    const result = { content: [], structuredContent: { run: wayIn.handled.length }, ...more };
    return Promise.resolve({ httpStatus: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result }) });
  };
  return wayIn;
}

const runIn = ({ body }: Answer): unknown =>
  (body as { readonly result?: { readonly structuredContent?: { readonly run?: unknown } } }).result
    ?.structuredContent?.run;

describe('a call with an idempotency key', () => {
  test('runs once: the same call again gets the first result under its own id, at every address and on a stream', async () => {
    const wayIn = await startCounting();
    const first = await call(wayIn);
    expect([runIn(first), first.headers.get('idempotency-replayed')]).toEqual([1, null]);
    expect(runIn(await call(wayIn, {}, ID_PATH))).toBe(1);
    const other = await call(wayIn, { id: 'second' }, `/mcp/${TOKEN}/sse`);
    expect(other.body).toMatchObject({
      jsonrpc: '2.0',
      id: 'second',
      result: { content: [], structuredContent: { run: 1 } },
    });
    expect(other.headers.get('idempotency-replayed')).toBe('true');
    expect(await readStream(wayIn, callOf({ id: 7 }))).toMatchObject({
      id: 7,
      result: { structuredContent: { run: 1 } },
    });
    expect(wayIn.handled).toHaveLength(1);
    // Each request counts, like those with an Idempotency-Key, and so does opening the stream.
    expect(wayIn.counted).toHaveLength(5);
  });

  test.each([
    ['another tool', { name: 'delete' }],
    ['other arguments', { args: '{"a":2}' }],
    ['the same arguments, written otherwise', { args: '{ "a":1}' }],
  ])('%s with the key is a conflict, and nothing is handled', async (_name, o) => {
    const wayIn = await startCounting();
    await call(wayIn);
    const { status, body } = await call(wayIn, { id: 2, ...o });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 2,
      error: {
        code: -32_000,
        message: `IDEMPOTENCY_CONFLICT: ${FIELD} was used for another call.`,
        data: { errorCode: 'IDEMPOTENCY_CONFLICT', details: [{ field: FIELD }] },
      },
    });
    expect(wayIn.handled).toHaveLength(1);
  });

  test('is in progress while the first one runs, which goes on without its client', async () => {
    const wayIn = await startCounting();
    const { handle } = wayIn.state;
    const gate = Promise.withResolvers<void>();
    wayIn.state.handle = async (handled) => {
      await gate.promise;
      return handle(handled);
    };
    const left = new AbortController();
    const first = fetch(wayIn.service.url + TOKEN_PATH, {
      method: 'POST',
      headers: { ...KEY, 'content-type': 'application/json' },
      body: callOf(),
      signal: left.signal,
    });
    await expect.poll(() => wayIn.handled.length).toBe(1);
    left.abort();
    await expect(first).rejects.toThrow('aborted');
    const code = async () => {
      const { body } = await call(wayIn);
      return (body as { readonly error?: { readonly data: { readonly errorCode: string } } }).error?.data
        .errorCode;
    };
    expect(await code()).toBe('IDEMPOTENCY_IN_PROGRESS');
    expect(wayIn.handled[0]?.ctx.signal.aborted).toBe(false);
    gate.resolve();
    await expect.poll(code).toBe(undefined);
    expect(runIn(await call(wayIn))).toBe(1);
  });

  test('shares the results of its user, but none with a restricted key', async () => {
    const wayIn = await startCounting();
    const asUser = (token: string) =>
      wayIn.post(TOKEN_PATH, {
        body: callOf(),
        headers: { ...bearer(token), 'content-type': 'application/json' },
      });
    // In the fake, every key has its own scopes.
    expect(runIn(await call(wayIn))).toBe(1);
    expect(runIn(await asUser('mcp.jwt'))).toBe(2);
    expect(runIn(await asUser('mcp.jwt'))).toBe(2);
    expect(runIn(await call(wayIn))).toBe(1);
  });

  test.each([
    ['a refusal', { isError: true, _meta: { 'dev.fairlead/errorCode': 'NO_DEFAULT_CONNECTION' } }, 1],
    ['a failure', { isError: true }, 1],
    ['a call that waits for approval', { _meta: { 'dev.fairlead/errorCode': 'APPROVAL_REQUIRED' } }, 2],
    ['a question to the client', { resultType: 'input_required' }, 2],
  ])('%s runs %i times', async (_name, more, runs) => {
    const wayIn = await startCounting(more);
    await call(wayIn);
    await call(wayIn);
    expect(wayIn.handled).toHaveLength(runs);
  });

  test('runs again after an error of JSON-RPC, and after one that is none', async () => {
    const wayIn = await startCounting();
    const { handle } = wayIn.state;
    const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"TIMEOUT: Too slow."}}';
    wayIn.state.handle = () => Promise.resolve({ httpStatus: 200, body: error });
    expect((await call(wayIn)).body).toMatchObject(JSON.parse(error));
    wayIn.state.handle = () => Promise.reject(new ApiError('UNAVAILABLE', 'away'));
    expect((await call(wayIn)).status).toBe(503);
    wayIn.state.handle = handle;
    expect(runIn(await call(wayIn))).toBe(3);
  });

  test.each([[''], ['x'.repeat(256)], [7], [null], [{}]])('whose key is %j is refused', async (key) => {
    const wayIn = await startCounting();
    const { status, body } = await call(wayIn, { key });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 1,
      error: {
        message: expect.stringContaining(FIELD) as string,
        data: { errorCode: 'VALIDATION_ERROR', details: [{ field: FIELD }] },
      },
    });
    expect(wayIn.handled).toEqual([]);
  });

  test('of 255 characters is accepted', async () => {
    expect(runIn(await call(await startCounting(), { key: 'x'.repeat(255) }))).toBe(1);
  });

  test('is refused from a client without a credential, whose other calls are not', async () => {
    const wayIn = await startCounting();
    wayIn.state.server.isAnonymousAllowed = true;
    const headers = { 'content-type': 'application/json' };
    const { body } = await wayIn.post(TOKEN_PATH, { body: callOf(), headers });
    expect(body).toMatchObject({ error: { data: { errorCode: 'VALIDATION_ERROR' } } });
    expect(wayIn.handled).toEqual([]);
    expect((await wayIn.post(TOKEN_PATH)).status).toBe(200);
  });

  test('is refused in a batch', async () => {
    const { post, handled } = await startCounting();
    const headers = { ...KEY, 'content-type': 'application/json' };
    const { status, body } = await post(TOKEN_PATH, { body: `[${callOf()}]`, headers });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { data: { details: [{ field: FIELD }] } } });
    expect(handled).toEqual([]);
  });
});

/** The answer on an HTTP+SSE stream. */
async function readStream(wayIn: WayIn, body: string): Promise<unknown> {
  const left = new AbortController();
  onTestFinished(() => left.abort());
  const stream = await fetch(`${wayIn.service.url}/mcp/${TOKEN}/sse`, { headers: KEY, signal: left.signal });
  let text = '';
  const reading = (async () => {
    for await (const chunk of stream.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  await expect.poll(() => text).toContain('event: endpoint');
  const [, path = ''] = /data: (.*)\n/.exec(text) ?? [];
  const headers = { ...KEY, 'content-type': 'application/json' };
  expect((await wayIn.post(path, { body, headers })).status).toBe(202);
  await expect.poll(() => text).toContain('event: message');
  left.abort();
  await reading;
  return JSON.parse(/event: message\ndata: (.*)\n/.exec(text)?.[1] ?? 'null');
}
