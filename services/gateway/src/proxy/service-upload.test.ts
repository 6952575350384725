import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyCaller } from '@fairlead/service-kit/context/caller-token';
import { systemClock } from '@fairlead/service-kit/clock';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../routes/define-route.ts';
import { GOOD_KEY, TEST_OWNER } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge, TEST_CALLER_KEYS } from '../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { createServiceUpload } from './service-upload.ts';

const MIB = 1024 * 1024;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listening(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** An edge with one route that forwards uploads to the service at `addresses`. */
async function edgeTo(...addresses: string[]): Promise<TestEdge> {
  const route = defineRoute(
    {
      operationId: 'uploadThing',
      method: 'post',
      path: '/v1/things',
      tags: ['Files'],
      summary: 'Upload',
      auth: 'credential',
      bytes: 'request',
      response: z.strictObject({ fileId: z.string() }),
      status: 201,
      errors: ['CONFLICT'],
    },
    ({ uploaded }) => Promise.resolve({ fileId: uploaded?.fileId ?? '' }),
  );
  const upload = createServiceUpload({
    service: 'tools',
    addresses,
    callerKeys: TEST_CALLER_KEYS,
    clock: systemClock,
  });
  const relay = { upload, download: () => Promise.reject(new Error('none')) };
  const edge = await startGatewayEdge({ routes: [route], relay });
  closing.push(() => edge.close());
  return edge;
}

function startUpload(edge: TestEdge, headers: Record<string, string> = {}) {
  const sent = httpRequest(`${edge.url}/v1/things?name=a`, {
    method: 'POST',
    headers: { ...GOOD_KEY, 'content-type': 'image/png', 'x-request-id': 'mine', ...headers },
  });
  const answered = once(sent, 'response').then(async ([response]) => {
    const answer = response as IncomingMessage;
    let text = '';
    for await (const piece of answer.setEncoding('utf8')) text += String(piece);
    return { status: answer.statusCode, body: JSON.parse(text) as Record<string, unknown> };
  });
  return { sent, answered };
}

test('a body goes to the service as it comes, in the name of its user, and what became of it to the handler', async () => {
  const first = Promise.withResolvers<IncomingMessage>();
  let length = 0;
  const { url } = await listening((request, response) => {
    first.resolve(request);
    request.on('data', (piece: Buffer) => (length += piece.length));
    request.on('end', () => response.writeHead(201).end('{"fileId":"file_1","digest":"d"}'));
  });
  // Nothing listens at the first address.
  const gone = await listening(() => undefined);
  gone.server.close();
  await once(gone.server, 'close');
  const { sent, answered } = startUpload(await edgeTo(gone.url, url));
  sent.write(Buffer.alloc(MIB));
  const request = await first.promise;
  expect(request.url).toBe('/v1/things?name=a');
  expect(request.headers).toMatchObject({ 'content-type': 'image/png', 'x-request-id': 'mine' });
  expect(request.headers).not.toHaveProperty('x-api-key');
  const token = String(request.headers['x-fairlead-caller']);
  const scope = { audience: 'tools', keys: TEST_CALLER_KEYS };
  expect(verifyCaller(token, scope, systemClock.now()).caller).toMatchObject({
    kind: 'user',
    accountId: TEST_OWNER.accountId,
  });
  await expect.poll(() => length).toBe(MIB);
  sent.end(Buffer.alloc(MIB));
  expect(await answered).toEqual({ status: 201, body: { fileId: 'file_1' } });
  expect(length).toBe(2 * MIB);
});

test('a refusal of the service is the caller’s, also while the body is still arriving', async () => {
  const envelope = {
    errorCode: 'CONFLICT',
    message: 'Full.',
    requestId: 'x',
    timestamp: '2026-11-22T10:00:00.000Z',
  };
  const { url } = await listening((_request, response) => {
    response.writeHead(409).end(JSON.stringify(envelope));
  });
  const { sent, answered } = startUpload(await edgeTo(url));
  sent.write(Buffer.alloc(MIB));
  expect(await answered).toMatchObject({
    status: 409,
    body: { errorCode: 'CONFLICT', message: 'Full.', requestId: 'mine' },
  });
  sent.destroy();
});

test('a client that leaves ends the transfer at the service', async () => {
  const closed = Promise.withResolvers<boolean>();
  const begun = Promise.withResolvers<void>();
  const { url } = await listening((request) => {
    request.resume();
    begun.resolve();
    request.once('close', () => closed.resolve(request.complete));
  });
  const { sent, answered } = startUpload(await edgeTo(url));
  answered.catch(() => undefined);
  sent.on('error', () => undefined);
  sent.write(Buffer.alloc(MIB));
  await begun.promise;
  sent.destroy();
  expect(await closed.promise).toBe(false);
});

test('a service that breaks, or cannot be reached, is UNAVAILABLE', async () => {
  const { url, server } = await listening((request) => void request.socket.destroy());
  const broken = startUpload(await edgeTo(url), { 'content-length': '3' });
  broken.sent.end('abc');
  expect(await broken.answered).toMatchObject({ status: 503, body: { errorCode: 'UNAVAILABLE' } });
  server.close();
  await once(server, 'close');
  const away = startUpload(await edgeTo(url));
  away.sent.end('abc');
  expect(await away.answered).toMatchObject({ status: 503 });
});

test('with an Idempotency-Key, calls are compared by what the service made of them', async () => {
  let uploads = 0;
  const { url } = await listening((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      uploads += 1;
      response.writeHead(201).end(JSON.stringify({ fileId: `file_${uploads}`, digest: text.slice(-1) }));
    });
  });
  const edge = await edgeTo(url);
  const send = async (text: string) => {
    const { sent, answered } = startUpload(edge, { 'idempotency-key': 'k' });
    sent.end(text);
    return await answered;
  };
  expect(await send('boundary-1 x')).toEqual({ status: 201, body: { fileId: 'file_1' } });
  expect(await send('boundary-2 x')).toEqual({ status: 201, body: { fileId: 'file_1' } });
  expect(await send('boundary-3 y')).toMatchObject({
    status: 409,
    body: { errorCode: 'IDEMPOTENCY_CONFLICT' },
  });
  expect(uploads).toBe(3);
});
