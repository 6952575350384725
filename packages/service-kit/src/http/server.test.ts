import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startHttpServer } from './server.ts';
import type { HttpServer } from './server.ts';

function raw(server: HttpServer, bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return text(socket);
}

test('data that is not HTTP, and a header that is too large, get a response with a request id', async () => {
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    handler: (_request, response) => response.end(),
  });
  expect(await raw(server, 'NOT HTTP\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 400 Bad Request\r\nx-request-id: [0-9a-f-]{36}\r\n/,
  );
  expect(await raw(server, `GET / HTTP/1.1\r\nhost: x\r\nx-api-key: ${'x'.repeat(40_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 Request Header Fields Too Large\r\nx-request-id: /,
  );
  await server.drain({ delayMs: 0, graceMs: 1000 });
});

test('a request without a host, or with an unknown expectation, gets a response with a request id', async () => {
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    handler: (_request, response) => response.setHeader('x-request-id', 'from-the-edge').end('served'),
  });
  expect(await raw(server, 'GET / HTTP/1.1\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 400 Bad Request\r\nx-request-id: [0-9a-f-]{36}\r\n/,
  );
  const expecting = 'GET / HTTP/1.1\r\nhost: x\r\nexpect: wonders\r\nconnection: close\r\n\r\n';
  expect(await raw(server, expecting)).toMatch(/^HTTP\/1\.1 200 OK\r\nx-request-id: from-the-edge\r\n/);
  await server.drain({ delayMs: 0, graceMs: 1000 });
});

test('a request that outlasts the grace is cut off, and draining reports it', async () => {
  const arrived = Promise.withResolvers<void>();
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler: () => arrived.resolve() });
  const answer = fetch(server.url);
  await arrived.promise;
  expect(await server.drain({ delayMs: 0, graceMs: 1 })).toBe(false);
  await expect(answer).rejects.toThrow('fetch failed');
});

test('a port that is taken gives one clear line', async () => {
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    handler: (_request, response) => response.end(),
  });
  const port = Number(new URL(server.url).port);
  await expect(startHttpServer({ host: '127.0.0.1', port, handler: () => undefined })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${port}: `,
  );
  await server.drain({ delayMs: 0, graceMs: 0 });
});
