import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { toBinary, create } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import type { Interceptor } from '@connectrpc/connect';
import { afterEach, describe, expect, it } from 'vitest';
import { startEchoServer } from './testing/echo-server.ts';
import type { EchoServer } from './testing/echo-server.ts';
import { EchoService } from './testing/echo-service.ts';
import { createConnectFastTransport } from './transport.ts';
import type { ClosableTransport } from './transport.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

type Methods = Parameters<typeof startEchoServer>[0];

async function start(say: NonNullable<Methods['say']>, others: Methods = {}): Promise<EchoServer> {
  const server = await startEchoServer({ say, ...others });
  closing.push(() => server.close());
  return server;
}

/** A raw HTTP server with foreign responses. */
async function listen(server: net.Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address without a listener. */
async function nobody(): Promise<string> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

function transportTo(addresses: string[], interceptors: Interceptor[] = []): ClosableTransport {
  const transport = createConnectFastTransport({
    addresses,
    interceptors,
    readMaxBytes: 1024 * 1024,
    writeMaxBytes: 1024 * 1024,
  });
  closing.push(() => transport.close());
  return transport;
}

function echoAt(addresses: string[], interceptors: Interceptor[] = []) {
  return createClient(EchoService, transportTo(addresses, interceptors));
}

describe('as every transport', () => {
  it('headers and trailers pass both ways, and interceptors see request and response', async () => {
    const server = await start(({ value }, h) => {
      h.responseHeader.set('x-seen', h.requestHeader.get('x-sent') ?? '');
      h.responseTrailer.set('x-end', 'over');
      return { value };
    });
    const seen: unknown[] = [];
    const interceptor: Interceptor = (next) => async (request) => {
      request.header.set('x-sent', 'by an interceptor');
      const response = await next(request);
      seen.push(request.method.name, request.stream, response.header.get('x-seen'), { ...response }.trailer);
      return response;
    };
    let trailer: Headers | undefined;
    const answer = await echoAt([server.url], [interceptor]).say(
      { value: 'é'.repeat(1_000) },
      { onTrailer: (headers) => void (trailer = headers) },
    );
    expect(answer.value).toBe('é'.repeat(1_000));
    expect(seen).toEqual(['Say', false, 'by an interceptor', expect.any(Headers)]);
    expect(trailer?.get('x-end')).toBe('over');
  });

  it('the same headers are sent with interceptors and without, in whatever form they are given', async () => {
    const seen: Record<string, string>[] = [];
    const server = await start((_, h) => {
      seen.push(Object.fromEntries(h.requestHeader));
      return {};
    });
    const forms: ConstructorParameters<typeof Headers>[0][] = [
      { 'x-request-id': 'req-1', traceparent: '00-1-2-01' },
      { 'X-Upper': ' padded ', accept: 'x' },
      [['x-request-id', 'req-1']],
      new Headers({ 'x-request-id': 'req-1', 'user-agent': 'mine' }),
    ];
    const passing: Interceptor = (next) => (request) => next(request);
    for (const headers of forms) {
      for (const interceptors of [[], [passing]])
        await echoAt([server.url], interceptors).say({}, { headers, timeoutMs: 60_000 });
      const [without, with_] = seen.splice(0);
      expect(without).toEqual(with_);
      expect(without).toMatchObject({ 'connect-timeout-ms': '60000', 'connect-protocol-version': '1' });
    }
    const broken = echoAt([server.url]).say({}, { headers: { 'x-request-id': 'a\r\nx-more: b' } });
    await expect(broken).rejects.toBeInstanceOf(Error);
    expect(seen).toEqual([]);
  });

  it('a stream passes', async () => {
    const server = await start(() => ({}), {
      async *repeat({ value }) {
        yield { value };
        yield Promise.resolve({ value });
      },
    });
    const seen: string[] = [];
    for await (const { value } of echoAt([server.url]).repeat({ value: 'again' })) seen.push(value);
    expect(seen).toEqual(['again', 'again']);
  });

  it('a timeout with a fraction is sent as a whole number and kept', async () => {
    let leftMs: number | undefined;
    const server = await start((_, h) => {
      leftMs = h.timeoutMs();
      return new Promise(() => {});
    });
    const call = echoAt([server.url]).say({}, { timeoutMs: 1_500.5 });
    await expect(call).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    expect(leftMs).toBeGreaterThan(0);
  });

  it('a call that was cancelled before it began is not made', async () => {
    let calls = 0;
    const server = await start(() => {
      calls += 1;
      return {};
    });
    const call = echoAt([server.url]).say({}, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: Code.Canceled });
    expect(calls).toBe(0);
  });

  it('a message that is too large is refused, in both directions', async () => {
    const server = await start(({ value }) => ({ value: 'x'.repeat(Number(value)) }));
    const echo = echoAt([server.url]);
    const tooMuch = { code: Code.ResourceExhausted };
    await expect(echo.say({ value: 'x'.repeat(1024 * 1024) })).rejects.toMatchObject(tooMuch);
    await expect(echo.say({ value: String(1024 * 1024) })).rejects.toMatchObject(tooMuch);
    expect((await echo.say({ value: '3' })).value).toBe('xxx');
  });
});

describe('a response of another protocol', () => {
  it.each([
    [502, 'text/html', '<p>', Code.Unavailable],
    [404, 'application/json', '{', Code.Unimplemented],
    [200, 'text/html', '<p>', Code.Unknown],
    [200, 'application/json', '{}', Code.Internal],
    [403, 'application/json', '{"code":"not_found","message":"Gone."}', Code.NotFound],
    [403, 'application/json; charset=utf-8', '{"code":"not_found"}', Code.NotFound],
  ])('%i %s %s is a ConnectError', async (status, contentType, body, code) => {
    const url = await listen(
      http.createServer((_, response) => {
        response.writeHead(status, { 'content-type': contentType }).end(body);
      }),
    );
    const error: unknown = await echoAt([url])
      .say({})
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toMatchObject({ code });
  });

  it('a response in a compression that was not offered is INTERNAL, and an uncompressed one is read', async () => {
    const body = toBinary(StringValueSchema, create(StringValueSchema, { value: 'plain' }));
    const url = await listen(
      http.createServer((request, response) => {
        const encoding = String(request.headers['x-encoding']);
        response.writeHead(200, { 'content-type': 'application/proto', 'content-encoding': encoding });
        response.end(body);
      }),
    );
    const ask = (encoding: string) => echoAt([url]).say({}, { headers: { 'x-encoding': encoding } });
    await expect(ask('gzip')).rejects.toMatchObject({ code: Code.Internal });
    expect((await ask('identity')).value).toBe('plain');
  });
});

describe('several addresses', () => {
  it('calls are balanced over them', async () => {
    const counts = [0, 0];
    const servers = await Promise.all(
      counts.map((_, i) =>
        start(() => {
          counts[i] = (counts[i] ?? 0) + 1;
          return {};
        }),
      ),
    );
    const echo = echoAt(servers.map(({ url }) => url));
    await Promise.all(Array.from({ length: 100 }, () => echo.say({})));
    expect(Math.min(...counts)).toBeGreaterThan(20);
  });

  it('if one refuses connections, the others serve every call', async () => {
    const server = await start(({ value }) => ({ value }));
    const echo = echoAt([await nobody(), server.url, await nobody()]);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => echo.say({ value: String(i) }, { timeoutMs: 60_000 })),
    );
    expect(answers.map(({ value }) => Number(value))).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  it('if all refuse connections, the call is UNAVAILABLE', async () => {
    const call = echoAt([await nobody(), await nobody()]).say({});
    await expect(call).rejects.toMatchObject({ code: Code.Unavailable, cause: { wasSent: false } });
  });

  let received = 0;
  const breaking = (): net.Server =>
    http.createServer((request) => {
      received += 1;
      request.socket.destroy();
    });

  it('a read whose connection broke is repeated at another address', async () => {
    const answering = http.createServer((request, response) => {
      request
        .resume()
        .on('end', () => response.writeHead(200, { 'content-type': 'application/proto' }).end());
    });
    const transport = transportTo([await listen(breaking()), await listen(answering)]);
    const echo = createClient(EchoService, transport);
    received = 0;
    await Promise.all(Array.from({ length: 20 }, () => echo.read({})));
    expect(received).toBeGreaterThan(0);
  });

  it('one that accepts connections and never responds, such as a stopped process, is avoided after a call that waited in vain', async () => {
    const silent = await listen(net.createServer(() => undefined));
    const server = await start(({ value }) => ({ value }));
    const echo = echoAt([silent, server.url]);
    const say = (): Promise<string> =>
      echo.say({ value: 'x' }, { timeoutMs: 3_000 }).then(
        ({ value }) => value,
        (error: unknown) => String(ConnectError.from(error).code === Code.DeadlineExceeded),
      );
    await expect.poll(say).toBe('true');
    // All calls but one, which may probe whether the address responds again.
    const answers = await Promise.all(Array.from({ length: 20 }, say));
    expect(answers.filter((answer) => answer !== 'x').length).toBeLessThan(2);
  });

  it('one that is slow with one call, and answers others meanwhile, is not avoided', async () => {
    const served = [0, 0];
    const servers = await Promise.all(
      served.map((_, i) =>
        start(({ value }) => {
          served[i] = (served[i] ?? 0) + 1;
          return value === 'slow' ? new Promise(() => {}) : {};
        }),
      ),
    );
    const echo = echoAt(servers.map(({ url }) => url));
    const slow = Array.from({ length: 8 }, () => echo.say({ value: 'slow' }, { timeoutMs: 5_000 }));
    const ended = Promise.allSettled(slow);
    await expect.poll(() => served[0] !== 0 && served[1] !== 0).toBe(true);
    await Promise.all(Array.from({ length: 40 }, () => echo.say({})));
    await ended;
    served.fill(0);
    await Promise.all(Array.from({ length: 40 }, () => echo.say({})));
    expect(Math.min(...served)).toBeGreaterThan(5);
  });

  it('any other call that may have been executed is not sent a second time', async () => {
    received = 0;
    const call = echoAt([await listen(breaking()), await listen(breaking())]).say({});
    await expect(call).rejects.toMatchObject({ code: Code.Unavailable, cause: { wasSent: true } });
    expect(received).toBe(1);
  });
});

it('after a response with connection: close the address is avoided, and its idle connections are closed', async () => {
  let isStopping = false;
  const open = new Set<net.Socket>();
  const body = toBinary(StringValueSchema, create(StringValueSchema, { value: 'old' }));
  const stopping = http.createServer((request, response) => {
    request.resume().on('end', () => {
      if (isStopping) response.setHeader('connection', 'close');
      response.writeHead(200, { 'content-type': 'application/proto' }).end(body);
    });
  });
  stopping.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  const old = await listen(stopping);
  const other = await start(() => ({ value: 'new' }));
  const echo = echoAt([old, other.url]);
  await Promise.all(Array.from({ length: 20 }, () => echo.say({})));
  expect(open.size).toBeGreaterThan(1);
  isStopping = true;
  await expect.poll(async () => (await echo.say({})).value === 'old').toBe(true);
  const answers = await Promise.all(Array.from({ length: 20 }, () => echo.say({})));
  expect(new Set(answers.map(({ value }) => value))).toEqual(new Set(['new']));
  await expect.poll(() => open.size).toBe(0);
});
