import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import type { Timers } from '../timers.ts';
import { createDiscard } from './discard.ts';

const MIB = 1024 * 1024;
/** One or two reads of 64 KiB, and as much in buffers. */
const PART_BYTES = 256 * 1024;
const PATIENCE = { timeout: 90_000, interval: 5 };

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that refuses every request before it reads the body, and discards parts when the test says so. */
async function setUp() {
  const due: (() => void)[] = [];
  const timers: Timers = {
    after(_delayMs, run) {
      due.push(run);
      return { cancel: () => undefined };
    },
  };
  const discard = createDiscard(timers);
  const sockets: Socket[] = [];
  const server = createServer((request, response) => {
    discard.prepare(request, response);
    response.writeHead(429, { 'content-length': 2 }).end('no');
  });
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one

  /** A client; `answers` is its number of refusals. */
  function open() {
    const socket = connect(port, '127.0.0.1');
    closers.push(() => socket.destroy());
    socket.on('error', () => undefined);
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    const send = (headers: string, body: string): void =>
      void socket.write(`POST / HTTP/1.1\r\nhost: a\r\n${headers}\r\n\r\n${body}`);
    return { socket, send, answers: () => text.split('HTTP/1.1 429').length - 1 };
  }
  const bytesRead = (): number => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
  const nextPart = (): void => due.shift()?.();
  return { open, due, bytesRead, nextPart };
}

/** Long enough for a server that reads everything at once. */
async function turns(): Promise<void> {
  for (let left = 500; left > 0; left -= 1) await new Promise(setImmediate);
}

const body = 'x'.repeat(5 * MIB);
const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

test.each([
  ['a stated length', `content-length: ${body.length}`, body],
  ['chunks', 'transfer-encoding: chunked', chunked],
])(
  'the body of a refused request, of %s, is read in parts; then its connection is used again',
  async (_name, headers, sent) => {
    const { open, due, bytesRead, nextPart } = await setUp();
    const client = open();
    client.send(headers, sent);
    await vi.waitUntil(() => client.answers() === 1 && due.length === 1, PATIENCE);
    await turns();
    expect(bytesRead()).toBeLessThan(PART_BYTES);
    const before = bytesRead();
    nextPart();
    await turns();
    expect(bytesRead() - before).toBeLessThan(PART_BYTES);
    client.send('content-length: 0', '');
    await vi.waitUntil(() => {
      nextPart();
      return client.answers() === 2;
    }, PATIENCE);
  },
);

test('many share one part at a time', async () => {
  const { open, due, bytesRead, nextPart } = await setUp();
  const clients = Array.from({ length: 8 }, open);
  for (const client of clients) client.send(`content-length: ${body.length}`, body);
  await vi.waitUntil(() => clients.every(({ answers }) => answers() === 1), PATIENCE);
  await turns();
  expect(due).toHaveLength(1);
  const before = bytesRead();
  nextPart();
  await turns();
  expect(bytesRead() - before).toBeLessThan(PART_BYTES);
});

test('beyond the bound, the one whose turn it is loses its connection', async () => {
  const { open } = await setUp();
  const first = open();
  const closed = once(first.socket, 'close');
  first.send(`content-length: ${body.length}`, 'x');
  await vi.waitUntil(() => first.answers() === 1, PATIENCE);
  const others = Array.from({ length: 256 }, open);
  for (const client of others) client.send(`content-length: ${body.length}`, 'x');
  await closed;
  await vi.waitUntil(() => others.every(({ answers }) => answers() === 1), PATIENCE);
  expect(others.filter(({ socket }) => socket.closed)).toEqual([]);
});

test('a short body is left to Node', async () => {
  const { open, due } = await setUp();
  const client = open();
  client.send('content-length: 3', 'abc');
  client.send('content-length: 0', '');
  await vi.waitUntil(() => client.answers() === 2, PATIENCE);
  expect(due).toHaveLength(0);
});
