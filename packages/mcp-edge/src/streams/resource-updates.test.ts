import { expect, test } from 'vitest';
import { openSse, openStream } from '../testing/open-stream.ts';
import { KEY, TOKEN_PATH, clientMessage, errorOf, startWayIn } from '../testing/way-in.ts';

type WayIn = Awaited<ReturnType<typeof startWayIn>>;

const request = (method: string, params: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const updated = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
});

/** The request of the gateway. */
interface ListenMessage {
  readonly method: string;
  readonly params: { readonly notifications: { readonly resourceSubscriptions: readonly string[] } };
}

/** A service that listens to changes until its request is aborted. */
function followable({ state }: WayIn) {
  const listening: { readonly uris: readonly string[]; change(uri: string): void; isOver: boolean }[] = [];
  state.converse = async function* ({ ctx, request: { message } }) {
    const { method, params } = JSON.parse(Buffer.from(message?.body ?? []).toString()) as ListenMessage;
    expect([method, message?.protocolVersion, message?.methodHeader]).toEqual([
      'subscriptions/listen',
      '2026-07-28',
      'subscriptions/listen',
    ]);
    const changed: string[] = [];
    let wake = (): void => undefined;
    const one = {
      uris: params.notifications.resourceSubscriptions,
      change(uri: string) {
        changed.push(uri);
        wake();
      },
      isOver: false,
    };
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 1 };
    yield clientMessage({ method: 'notifications/subscriptions/acknowledged', params: { _meta } });
    listening.push(one);
    ctx.signal.addEventListener('abort', () => {
      one.isOver = true;
      wake();
    });
    while (!one.isOver) {
      for (const uri of changed.splice(0)) yield clientMessage({ ...updated(uri), params: { uri, _meta } });
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return listening;
}

async function begin({ post }: WayIn): Promise<Record<string, string>> {
  const { headers } = await post(TOKEN_PATH, { json: request('initialize', {}), headers: KEY });
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

test('a client of a session is told of changes of the resources that it subscribes to, and of no others', async () => {
  const wayIn = await startWayIn();
  const listening = followable(wayIn);
  const session = await begin(wayIn);
  const post = (method: string, uri: string) =>
    wayIn.post(TOKEN_PATH, { json: request(method, { uri }), headers: { ...KEY, ...session } });
  const stream = await openStream(wayIn, TOKEN_PATH, session);
  expect((await post('resources/subscribe', 'x://1')).status).toBe(200);
  await expect.poll(() => listening.map(({ uris }) => uris)).toEqual([['x://1']]);
  listening[0]?.change('x://1');
  await expect.poll(stream.messages).toEqual([updated('x://1')]);
  // Neither a second subscription nor one of the same resource interrupts the first.
  await post('resources/subscribe', 'x://1');
  await post('resources/subscribe', 'x://2');
  await expect.poll(() => listening.map(({ isOver }) => isOver)).toEqual([true, false]);
  expect(listening[1]?.uris).toEqual(['x://1', 'x://2']);
  listening[1]?.change('x://2');
  await expect.poll(stream.messages).toEqual([updated('x://1'), updated('x://2')]);
  for (const uri of ['x://1', 'x://2']) await post('resources/unsubscribe', uri);
  await expect.poll(() => listening.map(({ isOver }) => isOver)).toEqual([true, true, true]);
});

test('a client that opens its stream again is told that what it follows may have changed; meanwhile nobody listens', async () => {
  const wayIn = await startWayIn();
  const listening = followable(wayIn);
  const session = await begin(wayIn);
  const first = await openStream(wayIn, TOKEN_PATH, session);
  const json = request('resources/subscribe', { uri: 'x://1' });
  await wayIn.post(TOKEN_PATH, { json, headers: { ...KEY, ...session } });
  await expect.poll(() => listening).toHaveLength(1);
  first.leave();
  await expect.poll(() => listening.map(({ isOver }) => isOver)).toEqual([true]);
  const second = await openStream(wayIn, TOKEN_PATH, session);
  await expect.poll(second.messages).toEqual([updated('x://1')]);
  expect(first.messages()).toEqual([]);
});

test('a client of HTTP+SSE is told on its stream', async () => {
  const wayIn = await startWayIn();
  const listening = followable(wayIn);
  const { endpoint, messages } = await openSse(wayIn);
  const json = request('resources/subscribe', { uri: 'x://1' });
  expect((await wayIn.post(endpoint, { json, headers: KEY })).status).toBe(202);
  await expect.poll(() => listening).toHaveLength(1);
  listening[0]?.change('x://1');
  await expect.poll(messages).toEqual([expect.objectContaining({ id: 1 }), updated('x://1')]);
});

test('a subscription is refused without a session, beyond the bounds, and if the service refuses it', async () => {
  const wayIn = await startWayIn();
  const listening = followable(wayIn);
  const session = await begin(wayIn);
  await openStream(wayIn, TOKEN_PATH, session);
  const post = (uri: string, headers: Record<string, string> = session) =>
    wayIn.post(TOKEN_PATH, {
      json: request('resources/subscribe', { uri }),
      headers: { ...KEY, ...headers },
    });
  const refusal = async (answer: ReturnType<typeof post>) => JSON.stringify(errorOf(await answer));
  expect(await refusal(post('x://1', {}))).toContain('Mcp-Session-Id');
  expect(await refusal(post(`x://${'1'.repeat(2_048)}`))).toContain('params.uri');
  const { handle } = wayIn.state;
  wayIn.state.handle = () =>
    Promise.resolve({ httpStatus: 200, body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}' });
  await post('x://refused');
  wayIn.state.handle = handle;
  for (let at = 0; at < 100; at += 1) expect((await post(`x://${at}`)).status).toBe(200);
  expect(await refusal(post('x://100'))).toContain('params.uri');
  await expect.poll(() => listening.at(-1)?.uris).toHaveLength(100);
  expect(listening.at(-1)?.uris).not.toContain('x://refused');
});
