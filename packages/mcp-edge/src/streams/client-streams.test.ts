import { ApiError } from '@fairlead/errors/api-error';
import { callHttp } from '@fairlead/service-kit/testing/http';
import type { Answer } from '@fairlead/service-kit/testing/http';
import { describe, expect, test } from 'vitest';
import { SSE_PATH, openSse, openStream } from '../testing/open-stream.ts';
import { ID_PATH, KEY, LIST, SERVER_ID, TOKEN, TOKEN_PATH, errorOf, startWayIn } from '../testing/way-in.ts';

const INITIALIZE = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
const RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}';

type WayIn = Awaited<ReturnType<typeof startWayIn>>;

async function startSession({ post }: WayIn, headers: Record<string, string> = KEY): Promise<string> {
  const answer = await post(TOKEN_PATH, { json: INITIALIZE, headers });
  return answer.headers.get('mcp-session-id') ?? '';
}

const named = (id: string) => ({ ...KEY, 'mcp-session-id': id });
const notFound = (answer: Answer) => expect(errorOf(answer)).toMatchObject({ status: 404, id: null });

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

test('a changed list of tools is told on the streams of its account, on either wire', async () => {
  const wayIn = await startWayIn();
  const sse = await openSse(wayIn);
  const session = await startSession(wayIn);
  const stream = await openStream(wayIn, TOKEN_PATH, { 'mcp-session-id': session });
  wayIn.changeLists('acc_2');
  wayIn.changeLists('acc_1');
  await expect.poll(sse.answers).toEqual([CHANGED]);
  await expect.poll(stream.events).toEqual([{ event: 'message', data: CHANGED, id: 's.0' }]);
});

test('the server of an open stream is followed, on either wire', async () => {
  const wayIn = await startWayIn();
  await openSse(wayIn);
  await expect.poll(() => wayIn.followed).toEqual([`acc_1 ${SERVER_ID}`]);
  await openStream(wayIn, TOKEN_PATH, { 'mcp-session-id': await startSession(wayIn) });
  await expect.poll(() => wayIn.followed).toEqual([`acc_1 ${SERVER_ID}`, `acc_1 ${SERVER_ID}`]);
});

test('a client that names the last event of its stream gets those that it has missed', async () => {
  const wayIn = await startWayIn();
  const session = await startSession(wayIn);
  const headers = { 'mcp-session-id': session };
  const first = await openStream(wayIn, TOKEN_PATH, headers);
  for (const list of [true, false]) {
    wayIn.changeLists('acc_1', list);
    await expect.poll(() => first.text()).toContain(list ? 'tools/list_changed' : 'resources/list_changed');
  }
  const again = await openStream(wayIn, TOKEN_PATH, { ...headers, 'last-event-id': 's.0' });
  await expect.poll(again.events).toEqual(first.events().slice(1));
});

test('a client that opens its stream again is told that its lists may have changed', async () => {
  const wayIn = await startWayIn();
  const session = await startSession(wayIn);
  const first = await openStream(wayIn, TOKEN_PATH, { 'mcp-session-id': session });
  first.leave();
  await first.ended;
  wayIn.clock.advance(10_000);
  const second = await openStream(wayIn, TOKEN_PATH, { 'mcp-session-id': session });
  await expect.poll(second.messages).toEqual(
    ['tools', 'prompts', 'resources'].map((list) => ({
      jsonrpc: '2.0',
      method: `notifications/${list}/list_changed`,
    })),
  );
});

describe('a stream whose client is no longer admitted', () => {
  test.each<[string, (wayIn: WayIn) => void]>([
    ['server is not active any more', ({ state }) => void (state.server.isActive = false)],
    ['user was removed', ({ state }) => void (state.isUserActive = false)],
    ['credential was revoked', ({ state }) => void (state.isKeyRevoked = true)],
    ['credential does not allow to execute tools any more', ({ state }) => void (state.scopes = [])],
  ])('because its %s ends after the change', async (_reason, change) => {
    const wayIn = await startWayIn();
    const streams = [await openSse(wayIn), await openStream(wayIn, TOKEN_PATH)];
    change(wayIn);
    wayIn.announce(true);
    wayIn.changeAdmissions('acc_1');
    await expect(Promise.all(streams.map(({ ended }) => ended))).resolves.toHaveLength(2);
  });

  test('stays open while that cannot be found out, and without a reason to end', async () => {
    const wayIn = await startWayIn();
    const stream = await openSse(wayIn);
    for (const isAway of [true, false]) {
      wayIn.state.isIdentityAway = isAway;
      const { checks } = wayIn.state;
      wayIn.changeAdmissions('acc_1');
      await expect.poll(() => wayIn.state.checks).toBeGreaterThan(checks);
    }
    expect((await wayIn.post(stream.endpoint, { headers: KEY })).status).toBe(202);
    await expect.poll(stream.answers).toHaveLength(1);
  });

  test('and that has no credential ends once the account of its server is being erased', async () => {
    const wayIn = await startWayIn();
    wayIn.state.server.isAnonymousAllowed = true;
    const stream = await openStream(wayIn, SSE_PATH, { 'x-api-key': '' });
    await expect.poll(stream.events).toHaveLength(1);
    wayIn.state.isAccountOpen = false;
    wayIn.changeAdmissions('acc_1');
    await expect(stream.ended).resolves.toBeUndefined();
  });
});

describe('a stream of HTTP+SSE', () => {
  test.each([
    [SSE_PATH, `/mcp/${TOKEN}/messages`],
    [TOKEN_PATH, `/mcp/${TOKEN}/messages`],
    [ID_PATH, `/mcp/s/${SERVER_ID}/messages`],
  ])(
    'at %s begins with the address for messages, whatever version the client names',
    async (path, messages) => {
      const wayIn = await startWayIn();
      const headers = path === ID_PATH ? { authorization: 'Bearer server.jwt' } : KEY;
      const stream = await openStream(wayIn, path, { ...headers, 'mcp-protocol-version': '2026-07-28' });
      expect(stream.response.status).toBe(200);
      expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
      await expect.poll(stream.events).toHaveLength(1);
      const [{ event, data = '', id = '' } = {}] = stream.events();
      expect(event).toBe('endpoint');
      expect(data).toBe(`${messages}?sessionId=${id}`);
      expect(id).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    },
  );

  test('carries the answer to a message, which is accepted before it is handled', async () => {
    const wayIn = await startWayIn();
    const stream = await openSse(wayIn);
    const gate = Promise.withResolvers<{ httpStatus: number; body: string }>();
    wayIn.state.handle = () => gate.promise;
    const answer = await wayIn.post(stream.endpoint, { headers: { ...KEY, accept: 'application/json' } });
    expect(answer).toMatchObject({ status: 202, body: { text: '' } });
    expect(stream.answers()).toEqual([]);
    gate.resolve({ httpStatus: 200, body: RESULT });
    await expect.poll(stream.answers).toEqual([RESULT]);
    // The open stream counts as well.
    expect(wayIn.counted).toEqual(['acc_1', 'acc_1']);
    expect(wayIn.handled[0]?.request).toMatchObject({ serverId: SERVER_ID });
  });

  test('carries the JSON-RPC error of a message that fails after it was accepted, and nothing for a notification', async () => {
    const wayIn = await startWayIn();
    const stream = await openSse(wayIn);
    wayIn.state.handle = () => Promise.reject(new ApiError('UNAVAILABLE', 'away'));
    await wayIn.post(stream.endpoint, { headers: KEY, json: { jsonrpc: '2.0', method: 'notifications/x' } });
    expect((await wayIn.post(stream.endpoint, { headers: KEY })).status).toBe(202);
    await expect.poll(stream.answers).toHaveLength(1);
    expect(JSON.parse(stream.answers()[0] ?? '')).toMatchObject({
      jsonrpc: '2.0',
      id: LIST.id,
      error: { code: -32_000, message: 'away', data: { errorCode: 'UNAVAILABLE' } },
    });
  });

  test('that is gone gets its messages 503, and nothing is handled', async () => {
    const wayIn = await startWayIn();
    const stream = await openSse(wayIn);
    stream.leave();
    await stream.ended;
    // The server may only notice the disconnected client when it sends a message.
    const answer = async () => (await wayIn.post(stream.endpoint, { headers: KEY })).status;
    await expect.poll(answer).toBe(503);
    const before = wayIn.handled.length;
    const refused = await wayIn.post(stream.endpoint, { headers: KEY });
    expect(errorOf(refused)).toMatchObject({ status: 503, id: 1, data: { errorCode: 'UNAVAILABLE' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(wayIn.handled).toHaveLength(before);
  });

  test('that opens again with the last event keeps its session', async () => {
    const wayIn = await startWayIn();
    const first = await openSse(wayIn);
    const [{ id = '' } = {}] = first.events();
    const second = await openStream(wayIn, SSE_PATH, { 'last-event-id': id });
    await first.ended;
    await expect.poll(second.events).toEqual([{ event: 'endpoint', data: first.endpoint, id }]);
    await wayIn.post(first.endpoint, { headers: KEY });
    await expect.poll(() => second.events().length).toBe(2);
    const other = await openStream(wayIn, SSE_PATH, { 'last-event-id': 'x' });
    await expect.poll(other.events).toHaveLength(1);
    expect(other.events()[0]?.data).not.toBe(first.endpoint);
  });

  test('gets no message beyond the budgets', async () => {
    const wayIn = await startWayIn();
    const stream = await openSse(wayIn);
    wayIn.state.callsLeft = 0;
    const answer = await wayIn.post(stream.endpoint, { headers: KEY });
    expect(errorOf(answer)).toMatchObject({ status: 429, id: 1 });
    expect(wayIn.handled).toEqual([]);
  });

  test('is for its client: other users and servers, forged ids and none are refused', async () => {
    const wayIn = await startWayIn();
    const stream = await openSse(wayIn);
    expect((await callHttp(wayIn.service, 'POST', stream.endpoint, { json: LIST })).status).toBe(401);
    wayIn.state.server = { ...wayIn.state.server, isAnonymousAllowed: true };
    wayIn.announce(true);
    notFound(await callHttp(wayIn.service, 'POST', stream.endpoint, { json: LIST }));
    notFound(await wayIn.post(`${stream.endpoint}x`, { headers: KEY }));
    const messages = `/mcp/${TOKEN}/messages`;
    notFound(await wayIn.post(`${messages}?sessionId=${await startSession(wayIn)}`, { headers: KEY }));
    expect((await wayIn.post(messages, { headers: KEY })).status).toBe(400);
    wayIn.state.server = { ...wayIn.state.server, serverId: '2d9e3e30-8b20-4f2c-9f5b-4b8f3b7d0c32' };
    wayIn.announce(true);
    notFound(await wayIn.post(stream.endpoint, { headers: KEY }));
    expect(wayIn.handled).toHaveLength(1);
  });

  test('is refused to a client that accepts no stream, and its address takes nothing but messages', async () => {
    const wayIn = await startWayIn();
    const answer = await callHttp(wayIn.service, 'GET', SSE_PATH, {
      headers: { ...KEY, accept: 'application/json' },
    });
    expect(errorOf(answer).status).toBe(406);
    const other = await callHttp(wayIn.service, 'GET', `/mcp/${TOKEN}/messages`, { headers: KEY });
    expect(errorOf(other).status).toBe(405);
    expect(other.headers.get('allow')).toBe('POST');
    expect((await callHttp(wayIn.service, 'GET', SSE_PATH)).status).toBe(401);
  });
});

describe('a session of Streamable HTTP', () => {
  test('begins with the answer to initialize, and only if that succeeds', async () => {
    const wayIn = await startWayIn();
    const id = await startSession(wayIn);
    expect(id).toMatch(/^[!-~]{1,128}$/);
    expect(await startSession(wayIn)).not.toBe(id);
    const list = await wayIn.post(TOKEN_PATH, { headers: KEY });
    expect(list.headers.get('mcp-session-id')).toBeNull();
    const error = '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no"}}';
    wayIn.state.handle = () => Promise.resolve({ httpStatus: 200, body: error });
    expect(await startSession(wayIn)).toBe('');
  });

  test('is verified wherever it is named, and need not be', async () => {
    const wayIn = await startWayIn();
    const id = await startSession(wayIn);
    expect((await wayIn.post(TOKEN_PATH, { headers: named(id) })).status).toBe(200);
    expect((await wayIn.post(TOKEN_PATH, { headers: KEY })).status).toBe(200);
    wayIn.state.server = { ...wayIn.state.server, isAnonymousAllowed: true };
    wayIn.announce(true);
    const anonymous = await startSession(wayIn, {});
    const before = wayIn.handled.length;
    notFound(await wayIn.post(TOKEN_PATH, { headers: { 'mcp-session-id': id } }));
    notFound(await wayIn.post(TOKEN_PATH, { headers: named(anonymous) }));
    notFound(await wayIn.post(TOKEN_PATH, { headers: named(`${id}x`) }));
    notFound(await callHttp(wayIn.service, 'GET', TOKEN_PATH, { headers: named(`${id}x`) }));
    expect(wayIn.handled).toHaveLength(before);
    wayIn.clock.advance(24 * 60 * 60 * 1_000);
    notFound(await wayIn.post(TOKEN_PATH, { headers: named(id) }));
  });

  test('serves on while ended sessions cannot be read, but cannot be ended', async () => {
    const wayIn = await startWayIn();
    const headers = named(await startSession(wayIn));
    wayIn.state.isStoreAway = true;
    expect((await wayIn.post(TOKEN_PATH, { headers })).status).toBe(200);
    expect((await callHttp(wayIn.service, 'DELETE', TOKEN_PATH, { headers })).status).toBe(503);
  });

  test('opens no stream and does not end beyond the budgets', async () => {
    const wayIn = await startWayIn();
    const headers = named(await startSession(wayIn));
    wayIn.state.callsLeft = 0;
    for (const method of ['GET', 'DELETE']) {
      const refused = await callHttp(wayIn.service, method, TOKEN_PATH, { headers });
      expect(errorOf(refused)).toMatchObject({ status: 429, id: null });
    }
    wayIn.state.callsLeft = 2;
    expect((await openStream(wayIn, TOKEN_PATH, headers)).response.status).toBe(200);
    expect((await callHttp(wayIn.service, 'DELETE', TOKEN_PATH, { headers })).status).toBe(204);
    expect(wayIn.state.callsLeft).toBe(0);
  });

  test('has one stream, which carries no address; a newer one replaces it', async () => {
    const wayIn = await startWayIn();
    const id = await startSession(wayIn);
    const first = await openStream(wayIn, TOKEN_PATH, named(id));
    expect(first.response.status).toBe(200);
    const second = await openStream(wayIn, TOKEN_PATH, named(id));
    await first.ended;
    expect([first.events(), second.events()]).toEqual([[], []]);
  });

  test('ends with DELETE, with its stream, and is not found afterwards', async () => {
    const wayIn = await startWayIn();
    const id = await startSession(wayIn);
    const stream = await openStream(wayIn, TOKEN_PATH, named(id));
    const end = (headers: Record<string, string>) =>
      callHttp(wayIn.service, 'DELETE', TOKEN_PATH, { headers });
    expect((await end(named(id))).status).toBe(204);
    await stream.ended;
    notFound(await wayIn.post(TOKEN_PATH, { headers: named(id) }));
    notFound(await end(named(id)));
    expect((await end(KEY)).status).toBe(400);
    expect((await end({ 'mcp-session-id': id })).status).toBe(401);
  });
});
