import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { changingAddresses } from '@fairlead/connect-fast/testing/changing-addresses';
import { callHttp } from '@fairlead/service-kit/testing/http';
import { expect, test } from 'vitest';
import { createConnections } from './connections.ts';
import type { ConnectionLease } from './connections.ts';
import { startBrokenReplica, startProxy, startProxyAt } from './testing/proxied-service.ts';

const REQUEST = /^[A-Z]+ \/\S* HTTP\/1\.1\r\n/;
/** Longer than a connection stays idle. */
const IDLE = { timeout: 90_000 };
const open = new AbortController().signal;
const answer = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${String(body.length)}\r\n\r\n${body}`;

/** A replica that answers each request, which must arrive in one piece; `respond` gets the request's number on its connection. */
async function startKeeping(respond: (of: { readonly socket: Socket; readonly nth: number }) => void) {
  const sockets: Socket[] = [];
  let requests = 0;
  const replica = await startBrokenReplica((socket) => {
    sockets.push(socket);
    let nth = 0;
    socket.on('data', (bytes: Buffer) => {
      if (!REQUEST.test(bytes.toString('latin1'))) return;
      requests += 1;
      nth += 1;
      respond({ socket, nth });
    });
  });
  return { ...replica, sockets, requests: () => requests };
}

const keeping = () => startKeeping(({ socket }) => void socket.write(answer('hi')));

async function send({ agent }: ConnectionLease): Promise<string> {
  const request = httpRequest({ agent, headers: { host: 'x' } });
  const over = once(request, 'close');
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await text(response);
  await over;
  return body;
}

test('requests that follow each other go over one connection', async () => {
  const replica = await keeping();
  const proxy = await startProxy([replica]);
  for (const method of ['GET', 'POST', 'PUT'])
    for (let i = 0; i < 3; i += 1)
      expect((await callHttp(proxy, method, '/oauth/a', method === 'GET' ? {} : { body: 'x' })).status).toBe(
        200,
      );
  expect(replica.connections()).toBe(1);
});

test('requests at once have a connection each; when a replica announces its stop, the idle ones are closed', async () => {
  const waiting: Socket[] = [];
  let [atOnce, headers] = [3, ''];
  const replica = await startKeeping(({ socket }) => {
    waiting.push(socket);
    if (waiting.length === atOnce) for (const one of waiting.splice(0)) one.write(answer('hi', headers));
  });
  const proxy = await startProxy([replica]);
  for (let i = 0; i < 2; i += 1) await Promise.all([1, 2, 3].map(() => callHttp(proxy, 'GET', '/oauth/a')));
  expect(replica.connections()).toBe(3);
  [atOnce, headers] = [1, 'connection: close\r\n'];
  await callHttp(proxy, 'POST', '/oauth/a', { body: 'x' });
  await expect.poll(() => replica.sockets.every((socket) => socket.destroyed)).toBe(true);
  await callHttp(proxy, 'POST', '/oauth/a', { body: 'x' });
  expect(replica.connections()).toBe(4);
});

test('an idle connection is closed when its address is removed, and after a while', async () => {
  const [removed, kept] = [await keeping(), await keeping()];
  const addresses = changingAddresses([removed.httpUrl]);
  const proxy = await startProxyAt(addresses);
  await callHttp(proxy, 'GET', '/oauth/a');
  addresses.replace([kept.httpUrl]);
  await expect.poll(() => removed.sockets.map(({ destroyed }) => destroyed), IDLE).toEqual([true]);
  await callHttp(proxy, 'GET', '/oauth/a');
  await expect.poll(() => kept.sockets.map(({ destroyed }) => destroyed), IDLE).toEqual([true]);
});

test('a request is not sent on a connection that its other side has closed', async () => {
  const replica = await keeping();
  const proxy = await startProxy([replica]);
  for (let i = 0; i < 5; i += 1) {
    expect((await callHttp(proxy, 'POST', '/oauth/a', { body: 'x' })).status).toBe(200);
    replica.sockets.at(-1)?.destroy();
  }
  expect(replica.requests()).toBe(5);
});

test('a connection that breaks under its second request: a GET is sent again, a POST is not', async () => {
  const replica = await startKeeping(({ socket, nth }) => {
    if (nth === 1) socket.write(answer('hi'));
    else socket.resetAndDestroy();
  });
  const proxy = await startProxy([replica]);
  for (let i = 0; i < 4; i += 1) expect((await callHttp(proxy, 'GET', '/oauth/a')).status).toBe(200);
  const before = replica.requests();
  expect((await callHttp(proxy, 'POST', '/oauth/a', { body: 'x' })).status).toBe(503);
  expect(replica.requests()).toBe(before + 1);
});

test('bytes that nobody asked for are nobody’s response', async () => {
  const replica = await startKeeping(({ socket, nth }) => {
    socket.write(answer(`answer ${String(nth)}`));
    setImmediate(() => socket.write(answer('of nobody')));
  });
  const connections = createConnections(new URL(replica.httpUrl));
  const first = await connections.take(open);
  expect(await send(first)).toBe('answer 1');
  await expect.poll(() => replica.sockets[0]?.destroyed).toBe(true);
  const second = await connections.take(open);
  expect([second.isReused, await send(second)]).toEqual([false, 'answer 1']);
  connections.leave();
});

test('the end of a request closes its connection until the response is over, and not later', async () => {
  const replica = await keeping();
  const connections = createConnections(new URL(replica.httpUrl));
  const [first, second] = [new AbortController(), new AbortController()];
  await send(await connections.take(first.signal));
  const taken = await connections.take(second.signal);
  expect(taken.isReused).toBe(true);
  first.abort();
  expect(await send(taken)).toBe('hi');
  await connections.take(second.signal);
  second.abort();
  await expect.poll(() => replica.sockets[0]?.destroyed).toBe(true);
  await expect(connections.take(second.signal)).rejects.toThrow('The request has ended.');
});

test('as many idle connections are kept as may be', async () => {
  const replica = await keeping();
  const connections = createConnections(new URL(replica.httpUrl));
  /** Sends requests at once; returns how many of them went over a kept connection. */
  const sendAtOnce = async (): Promise<number> => {
    const taken = await Promise.all(Array.from({ length: 103 }, () => connections.take(open)));
    await Promise.all(taken.map(send));
    return taken.filter(({ isReused }) => isReused).length;
  };
  expect(await sendAtOnce()).toBe(0);
  // On a busy machine some may have been idle for too long when the next requests come.
  await expect.poll(sendAtOnce).toBe(100);
  connections.leave();
  await expect.poll(() => replica.sockets.every((socket) => socket.destroyed)).toBe(true);
});
