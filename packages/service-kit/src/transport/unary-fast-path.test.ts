import { once } from 'node:events';
import http from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createConnectRouter } from '@connectrpc/connect';
import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, describe, expect, it } from 'vitest';
import { requestContext } from '../rpc/server.ts';
import type { RpcServer } from '../rpc/server.ts';
import { EchoService } from '../testing/echo-service.ts';
import { captureLog } from '../testing/log-lines.ts';
import { signedCaller, startEchoServer } from '../testing/rpc.ts';
import { createUnaryFastPath, rememberUnaryMethods } from './unary-fast-path.ts';

const SAY = '/fairlead.testing.v1.EchoService/Say';
/** Whoever offers compression is served by the RPC library, everybody else by the fast path. */
const paths = { fast: {}, library: { 'accept-encoding': 'br' } };

const servers: RpcServer[] = [];

afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function start(...args: Parameters<typeof startEchoServer>): Promise<RpcServer> {
  const server = await startEchoServer(...args);
  servers.push(server);
  return server;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function post(
  server: RpcServer,
  o: { headers: http.OutgoingHttpHeaders; body?: Uint8Array; path?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      server.httpUrl + (o.path ?? SAY),
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

function say({ value }: { value: string }, h: Parameters<typeof requestContext>[0]): { value: string } {
  switch (value) {
    case 'api error':
      throw new ApiError('AMBIGUOUS_TOOL', 'Which one?', {
        candidates: ['a', 'b'],
        details: [{ field: 'tool', issue: 'is ambiguous' }],
      });
    case 'connect error':
      throw new ConnectError('Not now.', Code.Unavailable, { 'x-retry': 'later', 'content-type': 'no' });
    case 'bug':
      throw new TypeError('undefined is not a function');
    default:
      h.responseHeader.set('x-header', 'h');
      h.responseTrailer.set('x-trailer', 't');
      return { value: `${value} ${requestContext(h).caller.kind} ${h.requestHeader.get('x-sent') ?? ''}` };
  }
}

describe('the fast path answers what the RPC library answers', () => {
  const signed = signedCaller();
  const known = { 'x-request-id': 'req-1' };
  it.each<[string, http.OutgoingHttpHeaders, Uint8Array | undefined]>([
    ['a call', { ...signed, 'x-sent': 's' }, text('hello')],
    ['a call with an empty message', signed, undefined],
    ['a call with a deadline', { ...signed, 'connect-timeout-ms': '5000' }, text('hello')],
    ['an error of ours', signed, text('api error')],
    ['an error with metadata', signed, text('connect error')],
    ['a bug', signed, text('bug')],
    ['no caller context', {}, text('hello')],
    ['bytes that are no message', signed, Buffer.from([0xff, 0xff, 0xff])],
    ['a deadline that is no number', { ...signed, 'connect-timeout-ms': 'soon' }, text('hello')],
    ['compression that nobody knows', { ...signed, 'content-encoding': 'lzma' }, text('hello')],
    ['a content type that nobody knows', { ...signed, 'content-type': 'text/plain' }, text('hello')],
  ])('%s', async (_, headers, body) => {
    const { log, lines } = captureLog();
    const server = await start(say, { log });
    const ask = (path: http.OutgoingHttpHeaders): Promise<Answer> =>
      post(server, { headers: { ...known, ...headers, ...path }, ...(body !== undefined && { body }) });
    const fast = await ask(paths.fast);
    const library = await ask(paths.library);
    expect(fast).toEqual(library);
    // Each wrote its line, but for what is refused before a method is looked at.
    const written = lines()
      .filter(({ msg }) => msg === 'rpc')
      .map(({ level, ...line }) => ({ level, code: line['code'], requestId: line['requestId'] }));
    expect(written.slice(0, written.length / 2)).toEqual(written.slice(written.length / 2));
  });

  it('a method that is not there', async () => {
    const server = await start(say);
    const path = '/fairlead.testing.v1.EchoService/Shout';
    const [fast, library] = await Promise.all(
      Object.values(paths).map((headers) => post(server, { path, headers: { ...signed, ...headers } })),
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
    const remembering = rememberUnaryMethods(createConnectRouter());
    remembering.router.service(EchoService, { say: () => ({}) });
    const fastPath = createUnaryFastPath(remembering.specs, {
      gate: () => undefined,
      interceptors: [],
      maxMessageBytes: 1_000,
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
  });

  it.each<[string, http.RequestOptions]>([
    ['JSON', { headers: { ...plain, 'content-type': 'application/json' } }],
    ['gRPC-Web', { headers: { ...plain, 'content-type': 'application/grpc-web+proto' } }],
    ['a stream', { headers: { ...plain, 'content-type': 'application/connect+proto' } }],
    ['a compressed message', { headers: { ...plain, 'content-encoding': 'gzip' } }],
    ['a client that takes compression', { headers: { ...plain, 'accept-encoding': 'gzip' } }],
    [
      'a message of unknown length',
      { headers: { 'content-type': 'application/proto', 'transfer-encoding': 'chunked' } },
    ],
    ['a timeout that makes no sense', { headers: { ...plain, 'connect-timeout-ms': '-1' } }],
    ['a deadline that has passed', { headers: { ...plain, 'connect-timeout-ms': '0' } }],
    ['GET', { method: 'GET' }],
    ['another method', { path: `${SAY}s` }],
    ['a query', { path: `${SAY}?x=1` }],
  ])('not %s', async (_, request) => {
    expect(await statusOf(request)).toBe(LEFT);
  });
});

describe.each(Object.entries(paths))('on the %s path', (_, path) => {
  it('a deadline that passes is answered for and aborts the signal of the method', async () => {
    const aborted = Promise.withResolvers<unknown>();
    const server = await start((_request, h) => {
      h.signal.addEventListener('abort', () => aborted.resolve(h.signal.reason));
      return new Promise(() => {});
    });
    const headers = { ...signedCaller(), ...path, 'connect-timeout-ms': '50' };
    expect(await post(server, { headers, body: text('x') })).toMatchObject({ status: 504 });
    expect(await aborted.promise).toMatchObject({ code: Code.DeadlineExceeded });
  });

  it('a caller who hangs up aborts the signal of the method', async () => {
    const entered = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const server = await start((_request, h) => {
      h.signal.addEventListener('abort', () => aborted.resolve());
      entered.resolve();
      return new Promise(() => {});
    });
    const request = http.request(server.httpUrl + SAY, {
      method: 'POST',
      headers: { 'content-type': 'application/proto', ...signedCaller(), ...path },
    });
    request.on('error', () => undefined).end(text('x'));
    await entered.promise;
    request.destroy();
    await expect(aborted.promise).resolves.toBeUndefined();
  });

  it('a caller who hangs up within the message runs nothing, and the next one is served', async () => {
    let runs = 0;
    const server = await start(() => {
      runs += 1;
      return {};
    });
    await new Promise<void>((resolve) => {
      const request = http.request(server.httpUrl + SAY, {
        method: 'POST',
        headers: { 'content-type': 'application/proto', 'content-length': 100, ...signedCaller(), ...path },
      });
      request.on('error', () => undefined).on('close', resolve);
      request.write(text('half'), () => request.destroy());
    });
    await post(server, { headers: { ...signedCaller(), ...path }, body: text('x') });
    expect(runs).toBe(1);
  });

  it('the signal of a method that has answered aborts, so that what it left behind ends', async () => {
    let signal: AbortSignal | undefined;
    const server = await start((_request, h) => {
      signal = h.signal;
      return {};
    });
    await post(server, { headers: { ...signedCaller(), ...path }, body: text('x') });
    expect(signal?.aborted).toBe(true);
  });
});
