import { once } from 'node:events';
import http from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createConnectRouter } from '@connectrpc/connect';
import type { HandlerContext, Interceptor } from '@connectrpc/connect';
import { afterEach, describe, expect, it } from 'vitest';
import { startEchoServer } from './testing/echo-server.ts';
import type { EchoServer } from './testing/echo-server.ts';
import { EchoService } from './testing/echo-service.ts';
import { createUnaryFastPath, recordUnaryMethods } from './unary-fast-path.ts';
import type { GatedCall } from './unary-fast-path.ts';

const SAY = '/fairlead.testing.v1.EchoService/Say';
/** The RPC library serves clients that offer compression; the fast path serves the others. */
const paths = { fast: {}, library: { 'accept-encoding': 'br' } };

const servers: EchoServer[] = [];

afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

type Say = NonNullable<Parameters<typeof startEchoServer>[0]['say']>;

async function start(say: Say, o?: Parameters<typeof startEchoServer>[1]): Promise<EchoServer> {
  const server = await startEchoServer({ say }, o);
  servers.push(server);
  return server;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function post(
  server: EchoServer,
  o: { headers: http.OutgoingHttpHeaders; body?: Uint8Array; path?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      server.url + (o.path ?? SAY),
      { method: 'POST', agent: false, headers: { 'content-type': 'application/proto', ...o.headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { date: _, ...headers } = response.headers;
          resolve({ status: response.statusCode, headers, body: Buffer.concat(chunks).toString('latin1') });
        });
      },
    );
    request.on('error', reject).end(o.body);
  });
}

const text = (value: string): Uint8Array => toBinary(StringValueSchema, create(StringValueSchema, { value }));

function say({ value }: { value: string }, h: HandlerContext): { value: string } {
  switch (value) {
    case 'error with a detail':
      throw new ConnectError('Which one?', Code.FailedPrecondition, undefined, [
        { desc: StringValueSchema, value: { value: 'a or b' } },
      ]);
    case 'error with metadata':
      throw new ConnectError('Not now.', Code.Unavailable, { 'x-retry': 'later', 'content-type': 'no' });
    case 'bug':
      throw new TypeError('undefined is not a function');
    default:
      h.responseHeader.set('x-header', 'h');
      h.responseTrailer.set('x-trailer', 't');
      return { value: `${value} ${h.requestHeader.get('x-sent') ?? ''}` };
  }
}

describe('the fast path responds as the RPC library does', () => {
  const key = { 'x-key': 'k' };
  const gate = (h: GatedCall): void => {
    h.responseHeader.set('x-gate', 'passed');
    if (h.requestHeader.get('x-key') !== 'k') throw new ConnectError('No key.', Code.Unauthenticated);
  };

  it.each<[string, http.OutgoingHttpHeaders, Uint8Array | undefined]>([
    ['a call', { ...key, 'x-sent': 's' }, text('hello')],
    ['a call with an empty message', key, undefined],
    ['a call with a deadline', { ...key, 'connect-timeout-ms': '5000' }, text('hello')],
    ['an error with a detail', key, text('error with a detail')],
    ['an error with metadata', key, text('error with metadata')],
    ['a bug', key, text('bug')],
    ['a call that the gate refuses', {}, text('hello')],
    ['bytes that are not a message', key, Buffer.from([0xff, 0xff, 0xff])],
    ['a deadline that is not a number', { ...key, 'connect-timeout-ms': 'soon' }, text('hello')],
    ['an unknown compression', { ...key, 'content-encoding': 'lzma' }, text('hello')],
    ['an unknown content type', { ...key, 'content-type': 'text/plain' }, text('hello')],
  ])('%s', async (_, headers, body) => {
    const seen: unknown[] = [];
    const interceptor: Interceptor = (next) => async (request) => {
      const { method, url, requestMethod, stream } = request;
      seen.push([method.name, new URL(url).pathname, requestMethod, stream, request.header.get('x-sent')]);
      return next(request);
    };
    const server = await start(say, { gate, interceptors: [interceptor] });
    const ask = (path: http.OutgoingHttpHeaders): Promise<Answer> =>
      post(server, { headers: { ...headers, ...path }, ...(body !== undefined && { body }) });
    const fast = await ask(paths.fast);
    const seenOnFastPath = seen.splice(0);
    const library = await ask(paths.library);
    expect(fast).toEqual(library);
    expect(seenOnFastPath).toEqual(seen);
  });

  it('a method that does not exist', async () => {
    const server = await start(say);
    const path = '/fairlead.testing.v1.EchoService/Shout';
    const [fast, library] = await Promise.all(
      Object.values(paths).map((headers) => post(server, { path, headers })),
    );
    expect(fast).toEqual(library);
    expect(fast).toMatchObject({ status: 404 });
  });
});

describe('the fast path takes', () => {
  const TAKEN = 200;
  const LEFT = 599;
  const plain = { 'content-type': 'application/proto', 'content-length': 0 };

  async function statusOf(o: http.RequestOptions): Promise<number | undefined> {
    const remembering = recordUnaryMethods(createConnectRouter());
    remembering.router.service(EchoService, { say: () => ({}) });
    const fastPath = createUnaryFastPath(remembering.specs, {
      gate: () => undefined,
      interceptors: [],
      readMaxBytes: 1_000,
      writeMaxBytes: 1_000,
    });
    const server = http.createServer((request, response) => {
      if (!fastPath(request, response)) response.writeHead(LEFT).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const options = {
        port,
        host: '127.0.0.1',
        agent: false,
        method: 'POST',
        path: SAY,
        headers: plain,
        ...o,
      };
      http
        .request(options, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
        .on('error', reject)
        .end();
    });
    server.close();
    return status;
  }

  it('a unary call in binary', async () => {
    expect(await statusOf({})).toBe(TAKEN);
    expect(await statusOf({ headers: { ...plain, 'connect-timeout-ms': '1000' } })).toBe(TAKEN);
    const identity = { 'content-encoding': 'identity', 'accept-encoding': 'identity' };
    expect(await statusOf({ headers: { ...plain, ...identity } })).toBe(TAKEN);
  });

  it.each<[string, http.RequestOptions]>([
    ['JSON', { headers: { ...plain, 'content-type': 'application/json' } }],
    ['gRPC-Web', { headers: { ...plain, 'content-type': 'application/grpc-web+proto' } }],
    ['a stream', { headers: { ...plain, 'content-type': 'application/connect+proto' } }],
    ['a compressed message', { headers: { ...plain, 'content-encoding': 'gzip' } }],
    ['a client that accepts compression', { headers: { ...plain, 'accept-encoding': 'gzip' } }],
    [
      'a message of unknown length',
      { headers: { 'content-type': 'application/proto', 'transfer-encoding': 'chunked' } },
    ],
    ['an invalid timeout', { headers: { ...plain, 'connect-timeout-ms': '-1' } }],
    ['a deadline that has passed', { headers: { ...plain, 'connect-timeout-ms': '0' } }],
    ['GET', { method: 'GET' }],
    ['another method', { path: `${SAY}s` }],
    ['a query', { path: `${SAY}?x=1` }],
  ])('not %s', async (_, request) => {
    expect(await statusOf(request)).toBe(LEFT);
  });
});

describe.each(Object.entries(paths))('on the %s path', (_, path) => {
  it('a deadline that passes aborts the signal of the method', async () => {
    const aborted = Promise.withResolvers<unknown>();
    const server = await start((_request, h) => {
      return new Promise((_resolve, reject) => {
        h.signal.addEventListener('abort', () => {
          aborted.resolve(h.signal.reason);
          reject(new ConnectError('Too late.', Code.DeadlineExceeded));
        });
      });
    });
    const headers = { ...path, 'connect-timeout-ms': '50' };
    expect(await post(server, { headers, body: text('x') })).toMatchObject({ status: 504 });
    expect(await aborted.promise).toMatchObject({ code: Code.DeadlineExceeded });
  });

  it('a caller that disconnects aborts the signal of the method', async () => {
    const entered = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const server = await start((_request, h) => {
      h.signal.addEventListener('abort', () => aborted.resolve());
      entered.resolve();
      return new Promise(() => {});
    });
    const request = http.request(server.url + SAY, {
      method: 'POST',
      headers: { 'content-type': 'application/proto', ...path },
    });
    request.on('error', () => undefined).end(text('x'));
    await entered.promise;
    request.destroy();
    await expect(aborted.promise).resolves.toBeUndefined();
  });

  it('a caller that disconnects within the message runs nothing, and the next one is served', async () => {
    let runs = 0;
    const server = await start(() => {
      runs += 1;
      return {};
    });
    await new Promise<void>((resolve) => {
      const request = http.request(server.url + SAY, {
        method: 'POST',
        headers: { 'content-type': 'application/proto', 'content-length': 100, ...path },
      });
      request.on('error', () => undefined).on('close', resolve);
      request.write(text('half'), () => request.destroy());
    });
    await post(server, { headers: { ...path }, body: text('x') });
    expect(runs).toBe(1);
  });

  it('a method sees the headers of the copy that an interceptor passes on, and those that the gate has set', async () => {
    const seen: (string | null)[] = [];
    const interceptor: Interceptor = (next) => (request) =>
      next({ ...request, header: new Headers({ 'x-sent': 'changed' }) });
    const server = await start(
      (_request, h) => {
        seen.push(h.requestHeader.get('x-sent'), h.responseHeader.get('x-gate'));
        return {};
      },
      {
        gate: (call) => call.responseHeader.set('X-Gate', call.requestHeader.get('X-Sent') ?? ''),
        interceptors: [interceptor],
      },
    );
    const { headers } = await post(server, { headers: { ...path, 'x-sent': 'given' }, body: text('x') });
    expect(seen).toEqual(['changed', 'given']);
    expect(headers).toMatchObject({ 'x-gate': 'given' });
  });

  it('a method sees the headers of the call if an interceptor passes on a copy without them', async () => {
    const seen: (string | null)[] = [];
    const server = await start(
      (_request, h) => {
        seen.push(h.requestHeader.get('x-sent'));
        h.responseHeader.set('x-method', 'set');
        return {};
      },
      { interceptors: [(next) => (request) => next({ ...request })] },
    );
    const { headers } = await post(server, { headers: { ...path, 'x-sent': 'given' }, body: text('x') });
    expect(seen).toEqual(['given']);
    expect(headers).toMatchObject({ 'x-method': 'set' });
  });

  it('the signal of a method that has responded aborts, so that its leftover work ends', async () => {
    let signal: AbortSignal | undefined;
    const server = await start((_request, h) => {
      signal = h.signal;
      return {};
    });
    await post(server, { headers: { ...path }, body: text('x') });
    expect(signal?.aborted).toBe(true);
  });
});
