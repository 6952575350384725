import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { BOMB, COSTLY_RESPONSES, drip, encoded } from './testing/costly-responses.ts';
import { get, testEgress, serveBytes } from './testing/open-egress.ts';

const MIB = 1024 * 1024;
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const NO_BODY = `${OK}content-length: 0\r\n\r\n`;

/** The largest response with its framing, and the capacity of both socket buffers, which fill before a server notices that nobody reads. */
const MOST_WRITTEN = 32 * MIB;

describe('what a response costs does not depend on how it is sent', () => {
  it.each(COSTLY_RESPONSES)('%s ends with %s, and closes the connection', async (_, code, answer) => {
    const server = await serveBytes(answer);
    const egress = testEgress();
    await expect(egress.request(get(server.url, { maxResponseBytes: 8 * MIB }))).rejects.toMatchObject({
      code,
    });
    await vi.waitUntil(() => server.open() === 0, { timeout: 90_000 });
    expect(server.written()).toBeLessThan(MOST_WRITTEN);
  });

  it.each(COSTLY_RESPONSES)('%s ends a fetch', async (_, _code, answer) => {
    const server = await serveBytes(answer);
    const fetch = testEgress().createFetch();
    const read = async (): Promise<number> => {
      const response = await fetch(server.url, { signal: AbortSignal.timeout(10_000) });
      const body: AsyncIterable<Uint8Array> | null = response.body;
      let size = 0;
      for await (const chunk of body ?? []) {
        size += chunk.length;
        // The limit that the caller sets itself.
        if (size > 8 * MIB) throw new Error('enough');
      }
      return size;
    };
    await expect(read()).rejects.not.toMatchObject({ name: 'TimeoutError' });
    await vi.waitUntil(() => server.open() === 0, { timeout: 90_000 });
  });
});

it.each([
  ['a gzip bomb', 'gzip', 'response_too_large'],
  ['a bomb that is no such thing', 'br', 'invalid_response'],
])('%s is not unpacked', async (_, coding, code) => {
  const server = await serveBytes((socket) => encoded(socket, coding, BOMB));
  const request = get(server.url, { maxResponseBytes: 8 * MIB });
  await expect(testEgress().request(request)).rejects.toMatchObject({ code });
});

describe('what honest servers do is within the limits', () => {
  it.each<readonly [string, number, (socket: Socket) => void]>([
    [
      'a few interim responses',
      0,
      (socket) => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(16) + NO_BODY),
    ],
    ['8 MiB at once', 8 * MIB, (socket) => respond(socket, Buffer.alloc(8 * MIB))],
    ['8 MiB in chunks of 100 bytes', 8 * MIB, (socket) => inChunks(socket, Buffer.alloc(8 * MIB), 100)],
    ['a row at a time', 200_000, (socket) => dripped(socket, 'a'.repeat(100), 2_000)],
    [
      'extensions and trailers',
      3,
      (socket) => socket.write(`${CHUNKED}3;name="value"\r\nabc\r\n0\r\nexpires: 0\r\n\r\n`),
    ],
    [
      'a trailer of some KiB after a body',
      3,
      (socket) => socket.write(`${CHUNKED}3\r\nabc\r\n0\r\ndigest: ${'a'.repeat(6_000)}\r\n\r\n`),
    ],
    ['many headers', 0, (socket) => socket.write(`${OK}${'a: b\r\n'.repeat(900)}content-length: 0\r\n\r\n`)],
    ['an encoded body', 8 * MIB, (socket) => encoded(socket, 'gzip', gzipSync(Buffer.alloc(8 * MIB)))],
  ])('%s', async (_, size, answer) => {
    const server = await serveBytes(answer);
    const egress = testEgress();
    const { body } = await egress.request(get(server.url, { maxResponseBytes: 8 * MIB }));
    expect(body.length).toBe(size);
    const response = await egress.createFetch()(server.url);
    expect((await response.bytes()).length).toBe(size);
  });
});

function respond(socket: Socket, body: Buffer): void {
  socket.write(`${OK}content-length: ${body.length}\r\n\r\n`);
  socket.write(body);
}

function inChunks(socket: Socket, body: Buffer, size: number): void {
  const parts: Buffer[] = [Buffer.from(CHUNKED)];
  for (let start = 0; start < body.length; start += size) {
    const part = body.subarray(start, start + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  socket.write(Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]));
}

function dripped(socket: Socket, row: string, rows: number): void {
  socket.write(`${OK}content-length: ${row.length * rows}\r\n\r\n`);
  drip(socket, row, rows);
}
