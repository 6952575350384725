import type { HandleMessageInteractivelyResponse } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { expect, test } from 'vitest';
import { openSse, openStream } from '../testing/open-stream.ts';
import { KEY, SERVER_ID, TOKEN_PATH, clientMessage, errorOf, startWayIn } from '../testing/way-in.ts';
import type { Conversation } from '../testing/way-in.ts';

type WayIn = Awaited<ReturnType<typeof startWayIn>>;

const UPDATED = 'notifications/resources/updated';
const updated = (uri: string) => ({ jsonrpc: '2.0', method: UPDATED, params: { uri } });
const request = (method: string, uri: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: `resources/${method}`,
  params: { uri },
});

async function startSession({ post }: WayIn): Promise<Record<string, string>> {
  const json = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
  const { headers } = await post(TOKEN_PATH, { json, headers: KEY });
  return { ...KEY, 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

/** A service that sends change notifications: the resources in its subscriptions, and `change` to change one. */
function telling(wayIn: WayIn) {
  const listening: { uris: readonly string[]; change: (uri: string) => void }[] = [];
  wayIn.state.converse = async function* ({ ctx, request: { message } }: Conversation) {
    const sent = JSON.parse(Buffer.from(message?.body ?? []).toString()) as {
      readonly params: { readonly notifications: { readonly resourceSubscriptions: readonly string[] } };
    };
    const { resourceSubscriptions: uris } = sent.params.notifications;
    const messages: HandleMessageInteractivelyResponse[] = [];
    let wake = Promise.withResolvers<void>();
    const own = {
      uris,
      change(uri: string) {
        messages.push(clientMessage({ method: UPDATED, params: { uri, _meta: { subscription: 1 } } }));
        wake.resolve();
      },
    };
    listening.push(own);
    ctx.signal.addEventListener('abort', () => wake.resolve());
    try {
      yield clientMessage({ method: 'notifications/subscriptions/acknowledged', params: {} });
      while (!ctx.signal.aborted) {
        for (const message of messages.splice(0)) yield message;
        await wake.promise;
        wake = Promise.withResolvers();
      }
    } finally {
      listening.splice(listening.indexOf(own), 1);
    }
  };
  return {
    uris: () => listening.map((one) => one.uris),
    change: (uri: string) => listening.forEach((one) => one.change(uri)),
  };
}

test('the stream of a session tells of the resources to which it is subscribed', async () => {
  const wayIn = await startWayIn();
  const service = telling(wayIn);
  const headers = await startSession(wayIn);
  const stream = await openStream(wayIn, TOKEN_PATH, headers);
  const answer = await wayIn.post(TOKEN_PATH, { json: request('subscribe', 'a://1'), headers });
  expect(answer.body).toMatchObject({ result: {} });
  await expect.poll(service.uris).toEqual([['a://1']]);
  expect(wayIn.interactive.at(-1)?.request.message).toMatchObject({
    serverId: SERVER_ID,
    protocolVersion: '2026-07-28',
    methodHeader: 'subscriptions/listen',
  });
  service.change('a://1');
  await expect.poll(stream.messages).toEqual([updated('a://1')]);
  await wayIn.post(TOKEN_PATH, { json: request('subscribe', 'a://2'), headers });
  await expect.poll(service.uris).toEqual([['a://1', 'a://2']]);
  await wayIn.post(TOKEN_PATH, { json: request('unsubscribe', 'a://1'), headers });
  await expect.poll(service.uris).toEqual([['a://2']]);
  service.change('a://1');
  service.change('a://2');
  await expect.poll(stream.messages).toEqual([updated('a://1'), updated('a://2')]);
  await wayIn.post(TOKEN_PATH, { json: request('unsubscribe', 'a://2'), headers });
  await expect.poll(service.uris).toEqual([]);
});

test('a stream that opens later tells of earlier subscriptions, until the session ends', async () => {
  const wayIn = await startWayIn();
  const service = telling(wayIn);
  const headers = await startSession(wayIn);
  await wayIn.post(TOKEN_PATH, { json: request('subscribe', 'a://1'), headers });
  expect(service.uris()).toEqual([]);
  await openStream(wayIn, TOKEN_PATH, headers);
  await expect.poll(service.uris).toEqual([['a://1']]);
  await fetch(wayIn.service.url + TOKEN_PATH, { method: 'DELETE', headers });
  await expect.poll(service.uris).toEqual([]);
});

test('so does a stream of HTTP+SSE, until its client leaves', async () => {
  const wayIn = await startWayIn();
  const service = telling(wayIn);
  const sse = await openSse(wayIn);
  await wayIn.post(sse.endpoint, { json: request('subscribe', 'a://1'), headers: KEY });
  await expect.poll(service.uris).toEqual([['a://1']]);
  service.change('a://1');
  await expect.poll(() => sse.messages().at(-1)).toEqual(updated('a://1'));
  sse.leave();
  await expect.poll(service.uris).toEqual([]);
});

test('a request that the service refuses subscribes to nothing', async () => {
  const wayIn = await startWayIn();
  const service = telling(wayIn);
  const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}';
  wayIn.state.handle = ({ request: { body } }) =>
    Promise.resolve({
      httpStatus: 200,
      body: Buffer.from(body ?? [])
        .toString()
        .includes('subscribe')
        ? error
        : '{"jsonrpc":"2.0","id":0,"result":{}}',
    });
  const headers = await startSession(wayIn);
  await wayIn.post(TOKEN_PATH, { json: request('subscribe', 'a://1'), headers });
  wayIn.state.handle = () =>
    Promise.resolve({ httpStatus: 200, body: '{"jsonrpc":"2.0","id":1,"result":{}}' });
  await openStream(wayIn, TOKEN_PATH, headers);
  await wayIn.post(TOKEN_PATH, { json: request('subscribe', 'a://2'), headers });
  await expect.poll(service.uris).toEqual([['a://2']]);
});

test.each([
  ['without a session', KEY, 'a://1', 'Mcp-Session-Id'],
  ['with a URI that is too long', undefined, `a://${'x'.repeat(2_000)}`, 'params.uri'],
  ['with one that is no text', undefined, 7, 'params.uri'],
])('a subscription %s is refused', async (_what, given, uri, field) => {
  const wayIn = await startWayIn();
  const headers = given ?? (await startSession(wayIn));
  const answer = await wayIn.post(TOKEN_PATH, { json: request('subscribe', uri), headers });
  expect(errorOf(answer)).toMatchObject({ status: 400, id: 1, data: { details: [{ field }] } });
});

test('a session has no more subscriptions than it may have', async () => {
  const wayIn = await startWayIn();
  telling(wayIn);
  const headers = await startSession(wayIn);
  for (let at = 0; at < 100; at += 1)
    await wayIn.post(TOKEN_PATH, { json: request('subscribe', `a://${at}`), headers });
  const answer = await wayIn.post(TOKEN_PATH, { json: request('subscribe', 'a://100'), headers });
  expect(errorOf(answer)).toMatchObject({ status: 400, data: { details: [{ field: 'params.uri' }] } });
});

test('a client that opens its stream again is told that what it follows may have changed', async () => {
  const wayIn = await startWayIn();
  const service = telling(wayIn);
  const headers = await startSession(wayIn);
  const first = await openStream(wayIn, TOKEN_PATH, headers);
  await wayIn.post(TOKEN_PATH, { json: request('subscribe', 'a://1'), headers });
  await expect.poll(service.uris).toEqual([['a://1']]);
  first.leave();
  await expect.poll(service.uris).toEqual([]);
  const second = await openStream(wayIn, TOKEN_PATH, headers);
  await expect.poll(second.messages).toEqual([updated('a://1')]);
  expect(first.messages()).toEqual([]);
});
