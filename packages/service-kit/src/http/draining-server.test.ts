import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createDrainingServer } from './draining-server.ts';
import { listen } from './listen.ts';

/** A server that drains and closes its port when the test says so. */
async function startServer(serve: RequestListener = (_request, response) => response.end('served')) {
  const { server, drain } = createDrainingServer({}, serve);
  const { port } = new URL(await listen(server, { host: '127.0.0.1', port: 0 }));
  const closePort = Promise.withResolvers<void>();
  onTestFinished(() => {
    closePort.resolve();
    server.closeAllConnections();
  });
  return {
    /** Longer than any test runs. */
    drain: (graceMs = 600_000) => drain({ stayOpen: () => closePort.promise, idleMs: 0, graceMs }),
    closePort: closePort.resolve,
    async connect(): Promise<Client> {
      const socket = net.connect(Number(port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return new Client(socket);
    },
  };
}

const REQUEST = 'GET / HTTP/1.1\r\nhost: test\r\n\r\n';

/** One connection, byte by byte. */
class Client {
  readonly socket: net.Socket;
  readonly closed: Promise<unknown>;
  #received = '';

  constructor(socket: net.Socket) {
    this.socket = socket;
    socket.setEncoding('utf8').on('data', (text: string) => (this.#received += text));
    // After a reset, the answer does not arrive.
    socket.on('error', () => undefined);
    this.closed = once(socket, 'close');
  }

  /** Resolves to the received text up to `text`. */
  async receive(text: string): Promise<string> {
    while (!this.#received.includes(text)) {
      if (this.socket.closed) throw new Error(`Closed after ${JSON.stringify(this.#received)}`);
      await Promise.race([once(this.socket, 'data'), this.closed]);
    }
    const end = this.#received.indexOf(text) + text.length;
    const part = this.#received.slice(0, end);
    this.#received = this.#received.slice(end);
    return part;
  }

  ask(): Promise<string> {
    this.socket.write(REQUEST);
    return this.receive('served');
  }
}

test('until the port closes, every request is served, as the last of its connection', async () => {
  const release = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const server = await startServer((request, response) => {
    const isSlow = request.url === '/slow';
    if (isSlow) arrived.resolve();
    void (isSlow ? release.promise : Promise.resolve()).then(() => response.end('served'));
  });
  const [idle, busy] = [await server.connect(), await server.connect()];
  expect(await idle.ask()).toContain('Connection: keep-alive');
  busy.socket.write(REQUEST.replace('/ ', '/slow '));
  await arrived.promise;

  const drained = server.drain();
  const late = await server.connect();
  for (const client of [idle, late]) {
    expect(await client.ask()).toContain('connection: close');
    await client.closed;
  }
  release.resolve();
  expect(await busy.receive('served')).toContain('connection: close');

  server.closePort();
  expect(await drained).toBe(true);
  await expect(server.connect()).rejects.toThrow('ECONNREFUSED');
});

test('idle and unused connections are closed at the end and delay nothing', async () => {
  const server = await startServer();
  const [used, silent] = [await server.connect(), await server.connect()];
  await used.ask();
  const drained = server.drain();
  server.closePort();
  expect(await drained).toBe(true);
  await Promise.all([used.closed, silent.closed]);
});

test('a request that is sent as the port closes is served', async () => {
  const server = await startServer();
  const client = await server.connect();
  await client.ask();
  const drained = server.drain();
  server.closePort();
  expect(await client.ask()).toContain('connection: close');
  expect(await drained).toBe(true);
});

test('a partially received request is waited for', async () => {
  const server = await startServer();
  const [half, idle] = [await server.connect(), await server.connect()];
  await half.ask();
  half.socket.write(REQUEST.slice(0, 10));
  const drained = server.drain();
  server.closePort();
  await idle.closed;
  half.socket.write(REQUEST.slice(10));
  expect(await half.receive('served')).toContain('connection: close');
  expect(await drained).toBe(true);
});

test('a response that had begun before finishes, and its connection closes', async () => {
  const release = Promise.withResolvers<void>();
  const server = await startServer((_request, response) => {
    response.write('begun');
    void release.promise.then(() => response.end('served'));
  });
  const [streaming, idle] = [await server.connect(), await server.connect()];
  streaming.socket.write(REQUEST);
  expect(await streaming.receive('begun')).toContain('Connection: keep-alive');
  const drained = server.drain();
  server.closePort();
  await idle.closed;
  release.resolve();
  await streaming.receive('served');
  await streaming.closed;
  expect(await drained).toBe(true);
});

test('a request that outlasts the grace is cut off, and draining reports it', async () => {
  const arrived = Promise.withResolvers<void>();
  const server = await startServer(() => arrived.resolve());
  const client = await server.connect();
  client.socket.write(REQUEST);
  await arrived.promise;
  const drained = server.drain(1);
  server.closePort();
  expect(await drained).toBe(false);
  await client.closed;
});
