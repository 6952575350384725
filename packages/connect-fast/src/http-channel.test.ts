import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { CallEnd } from './call-end.ts';
import { ChannelError } from './channel-error.ts';
import { CLIENT_IDLE_MS, createHttpChannel } from './http-channel.ts';
import type { HttpChannel } from './http-channel.ts';
import type { HttpAnswer } from './http-connection.ts';
import { CONNECT_TIMEOUT_MS } from './limit-connecting.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A server and a channel to it. `sockets` has the open ones and the total number. */
async function world<S extends net.Server>(server: S) {
  const sockets = { open: new Set<net.Socket>(), count: 0 };
  server.on('connection', (socket: net.Socket) => {
    sockets.open.add(socket);
    sockets.count += 1;
    socket.on('error', () => undefined).on('close', () => sockets.open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const channel = createHttpChannel(`http://127.0.0.1:${port}`);
  closing.push(() => channel.close());
  return { channel, sockets, server };
}

function post(
  channel: HttpChannel,
  o: {
    readonly body?: string | readonly Uint8Array[];
    readonly end?: CallEnd;
    readonly maxResponseBytes?: number;
  } = {},
): Promise<HttpAnswer> {
  const { end = new CallEnd(undefined, undefined), maxResponseBytes = 1_000_000 } = o;
  const { body: given = '' } = o;
  const body = typeof given === 'string' ? [Buffer.from(given)] : given;
  return channel.post({ path: '/x', headers: ['x-sent', 'é'], body, end, maxResponseBytes });
}

const textOf = ({ body }: HttpAnswer): string => Buffer.from(body).toString();

/** Echoes the request. */
const echo = (): http.Server =>
  http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      response.writeHead(200, {
        'content-length': body.length,
        'x-seen': request.headers['x-sent'] ?? '',
        'x-host': request.headers.host ?? '',
      });
      response.end(body);
    });
  });

it('a request arrives as it was sent, whatever its size, and so does the response', async () => {
  const { channel, server } = await world(echo());
  for (const length of [0, 1, 1_000, 32 * 1024, 32 * 1024 + 1, 900_000]) {
    const body = '\u00e4'.repeat(length / 2);
    const answer = await post(channel, { body });
    expect(textOf(answer)).toBe(body);
    expect(answer).toMatchObject({ status: 200, isLast: false });
    expect(answer.headers['x-seen']).toBe('é');
    expect(answer.headers['x-host']).toBe(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
});

it('one call after the other uses one connection; calls at once have one each', async () => {
  const { channel, sockets } = await world(echo());
  for (let call = 0; call < 5; call += 1) await post(channel);
  expect(sockets.count).toBe(1);
  await Promise.all(Array.from({ length: 4 }, () => post(channel)));
  expect(sockets.count).toBe(4);
});

it('an idle connection is closed after a while', async () => {
  const { channel, sockets } = await world(echo());
  await Promise.all([post(channel), post(channel)]);
  expect(sockets.open.size).toBe(2);
  await expect.poll(() => sockets.open.size, { timeout: 20 * CLIENT_IDLE_MS }).toBe(0);
  await post(channel);
  expect(sockets.count).toBe(3);
});

it('a connection that the server closes meanwhile is not used again', async () => {
  const { channel, sockets } = await world(echo());
  await post(channel);
  const [socket] = sockets.open;
  socket?.destroy();
  await expect.poll(() => sockets.open.size).toBe(0);
  // The other end notices in one of the next turns of the event loop.
  await expect.poll(() => post(channel).then(({ status }) => status, String)).toBe(200);
});

it('a call that ends before its response closes its connection alone', async () => {
  const { channel, sockets } = await world(
    http.createServer((request, response) => {
      request.resume().on('end', () => void (request.headers['content-length'] === '0' && response.end()));
    }),
  );
  const outer = new AbortController();
  const end = new CallEnd(outer.signal, undefined);
  const call = post(channel, { body: 'wait', end });
  call.catch(() => undefined);
  await post(channel);
  await expect.poll(() => sockets.open.size).toBe(2);
  const reason = new Error('No longer needed.');
  outer.abort(reason);
  await expect(call).rejects.toBe(reason);
  await expect.poll(() => sockets.open.size).toBe(1);
  await post(channel);
  expect(sockets.count).toBe(2);
  await expect(post(channel, { end })).rejects.toBe(reason);
  expect(sockets.count).toBe(2);
});

it('a response that is larger than allowed is refused, and its connection closed', async () => {
  const { channel, sockets } = await world(echo());
  const call = post(channel, { body: 'x'.repeat(101), maxResponseBytes: 100 });
  await expect(call).rejects.toThrow('larger than 100 bytes');
  await expect.poll(() => sockets.open.size).toBe(0);
});

/** Sends the result of `respond` on each connection, and keeps reading. */
const raw = (respond: (count: number) => string): net.Server => {
  let count = 0;
  return net.createServer((socket) => {
    count += 1;
    const text = respond(count);
    socket.on('data', () => void socket.write(text));
  });
};

it.each([
  ['small', ['a', 'é', 'b']],
  ['large', ['a', 'é'.repeat(100_000), 'b'.repeat(100_000)]],
])('a body in %s pieces is sent as one', async (_name, pieces) => {
  const { channel, sockets } = await world(echo());
  for (let call = 0; call < 2; call += 1) {
    const answer = await post(channel, { body: pieces.map((piece) => Buffer.from(piece)) });
    expect(textOf(answer)).toBe(pieces.join(''));
  }
  expect(sockets.count).toBe(1);
});

it('a connection that carries more than its response is not used again', async () => {
  const { channel, sockets } = await world(raw(() => 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhello'));
  expect(textOf(await post(channel))).toBe('he');
  expect(textOf(await post(channel))).toBe('he');
  expect(sockets.count).toBe(2);
});

it('a response before the end of its request is a response, and its connection is not used again', async () => {
  const server = http.createServer((_, response) => {
    response.writeHead(413, { 'content-length': 0 }).end();
  });
  const { channel, sockets } = await world(server);
  const answer = await post(channel, { body: 'x'.repeat(16 * 1024 * 1024) });
  expect(answer.status).toBe(413);
  await expect.poll(() => sockets.open.size).toBe(0);
});

it.each([
  ['ends in the middle of the response', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nh'],
  ['speaks another protocol', 'SSH-2.0-x\r\n\r\n'],
])('if the other side %s, the call may have been executed', async (_, text) => {
  const { channel } = await world(net.createServer((socket) => void socket.resume().end(text)));
  const error: unknown = await post(channel).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ChannelError);
  expect(error).toMatchObject({ wasSent: true });
});

it('if nobody accepts the connection, the call was not executed', async () => {
  const { channel, server } = await world(net.createServer());
  server.close();
  await once(server, 'close');
  await expect(post(channel)).rejects.toMatchObject({ name: 'ChannelError', wasSent: false });
});

it('if the connection is reset as soon as it is made, by a server that closes its port, the call was not executed', async () => {
  const { channel } = await world(net.createServer((socket) => void socket.resetAndDestroy()));
  await expect(post(channel)).rejects.toMatchObject({ name: 'ChannelError', wasSent: false });
});

it('closing ends what is in flight, and what comes later', async () => {
  const { channel, sockets } = await world(net.createServer((socket) => void socket.resume()));
  const call = post(channel);
  call.catch(() => undefined);
  await expect.poll(() => sockets.open.size).toBe(1);
  await channel.close();
  await expect(call).rejects.toBeInstanceOf(ChannelError);
  await expect(post(channel)).rejects.toMatchObject({ wasSent: false });
  await expect.poll(() => sockets.open.size).toBe(0);
});

it('a connection that the server accepted while this process stood still is used', async () => {
  const { channel } = await world(echo());
  const answer = post(channel, { body: 'late' });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CONNECT_TIMEOUT_MS + 100);
  expect(textOf(await answer)).toBe('late');
});
