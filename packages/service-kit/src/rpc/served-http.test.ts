import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Caller } from '../context/caller.ts';
import { CALLER_HEADER, signCaller } from '../context/caller-token.ts';
import type { CallerTokenScope } from '../context/caller-token.ts';
import { FACTS_HEADER, takeFacts } from '../http/exchange-facts.ts';
import type { Exchange } from '../http/exchange.ts';
import { clientAddressOf } from '../http/passed-on.ts';
import { sendJson } from '../http/reply.ts';
import { parseKeyRing } from '../key-ring.ts';
import { callHttp } from '../testing/http.ts';
import { captureLog } from '../testing/log-lines.ts';
import { recordSpans } from '../testing/recording-tracer.ts';
import { signedCaller, startEchoServer, testCaller, testCallerKeys } from '../testing/rpc.ts';
import type { RpcServer, HttpSurface } from './server.ts';

const ADDRESS = '203.0.113.9';
const gateway = { kind: 'service', service: 'gateway', clientAddress: ADDRESS } as const satisfies Caller;

const signed = (caller: Caller, o: Partial<CallerTokenScope> = {}, now = new Date()) => ({
  [CALLER_HEADER]: signCaller(caller, { audience: 'echo', keys: testCallerKeys, ...o }, now),
});

const servers: RpcServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** A server of EchoService with a page, and a mount that echoes its request. */
async function start(o: Partial<HttpSurface> = {}) {
  const { log, lines } = captureLog();
  let runs = 0;
  const http: HttpSurface = {
    pages: [
      {
        path: '/.well-known/echo',
        isSafe: true,
        show: (_exchange, _request, response) => sendJson(response, 200, { page: 'echo' }),
      },
    ],
    pageTimeoutMs: 5_000,
    mounts: [
      {
        prefix: '/pages',
        timeoutMs: 5_000,
        maxBodyBytes: 1_000,
        async handle(exchange, request, response) {
          runs += 1;
          exchange.route = '/pages/{pageId}';
          exchange.accountId = 'acc_1';
          const body = await exchange.readBody();
          sendJson(response, 200, {
            url: request.originalUrl,
            body: body?.toString(),
            address: clientAddressOf(request),
            names: Object.keys(request.headers),
          });
        },
      },
    ],
    ...o,
  };
  const server = await startEchoServer(({ value }) => ({ value }), { log, http });
  servers.push(server);
  return { ...server, url: server.httpUrl, lines, runs: () => runs };
}

/** An exchange of the gateway after it has taken a response's facts. */
function factsOf(headers: Headers): Partial<Exchange> {
  // The members that `takeFacts` sets.
  const exchange = { route: 'unset', accountId: undefined, userId: undefined } as Exchange;
  takeFacts(exchange, headers.get(FACTS_HEADER) ?? '');
  return { ...exchange };
}

describe('a service serves over HTTP on its RPC port', () => {
  it('pages and mounts, beside its RPCs', async () => {
    const server = await start();
    const page = await callHttp(server, 'GET', '/.well-known/echo', { headers: signed(gateway) });
    expect([page.status, page.body]).toMatchObject([200, { page: 'echo' }]);
    const posted = await callHttp(server, 'POST', '/pages/1?a=b', { headers: signed(gateway), body: 'hi' });
    expect(posted.body).toMatchObject({ url: '/pages/1?a=b', body: 'hi' });
    const absent = await callHttp(server, 'GET', '/elsewhere', { headers: signed(gateway) });
    expect([absent.status, absent.body]).toMatchObject([404, { errorCode: 'NOT_FOUND' }]);

    const transport = createConnectTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' });
    const echo = createClient(EchoService, transport);
    expect((await echo.say({ value: 'hi' }, { headers: signedCaller() })).value).toBe('hi');
    const unknownRpc = await callHttp(server, 'POST', '/echo.v9.Later/Say', { headers: signed(gateway) });
    expect([unknownRpc.status, unknownRpc.body['errorCode']]).toEqual([404, undefined]);
  });

  it('with the address of the client, and without the caller context', async () => {
    const { body } = await callHttp(await start(), 'GET', '/pages/1', { headers: signed(gateway) });
    expect(body).toMatchObject({ address: ADDRESS });
    expect(body['names']).not.toContain(CALLER_HEADER);
  });

  it('under the request id and in the trace of the gateway, which it tells what to log', async () => {
    const { spans, stop } = recordSpans();
    onTestFinished(stop);
    const server = await start();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answer = await callHttp(server, 'GET', '/pages/1', {
      headers: {
        ...signed(gateway),
        'x-request-id': 'id-1',
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
    });
    expect(answer.headers.get('x-request-id')).toBe('id-1');
    await expect
      .poll(() => server.lines())
      .toContainEqual(
        expect.objectContaining({ msg: 'request', requestId: 'id-1', route: '/pages/{pageId}', status: 200 }),
      );
    expect(spans).toMatchObject([{ traceId, parentId: '00f067aa0ba902b7' }]);
    expect(factsOf(answer.headers)).toEqual({
      route: '/pages/{pageId}',
      accountId: 'acc_1',
      userId: undefined,
    });
    const absent = await callHttp(server, 'GET', '/pages-elsewhere', { headers: signed(gateway) });
    expect(factsOf(absent.headers)).toMatchObject({ route: 'unset', accountId: undefined });
  });

  it('with room for all headers that the gateway accepts, but not without a host', async () => {
    const server = await start();
    const headers = { ...signed(gateway), 'x-large': 'x'.repeat(32 * 1024) };
    expect((await callHttp(server, 'GET', '/pages/1', { headers })).status).toBe(200);
    const { hostname, port } = new URL(server.httpUrl);
    const socket = connect(Number(port), hostname);
    const [[name, token] = []] = Object.entries(signed(gateway));
    socket.write(`GET /pages/1 HTTP/1.1\r\n${name}: ${token}\r\nconnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect(server.runs()).toBe(1);
  });
});

describe('a request that the gateway did not pass on is refused', () => {
  const otherKeys = parseKeyRing(`v1:${Buffer.alloc(32, 9).toString('base64')}`);
  it.each([
    ['without a caller context', {}],
    ['with one that another key signed', signed(gateway, { keys: otherKeys })],
    ['with one for another service', signed(gateway, { audience: 'catalog' })],
    ['with one that has expired', signed(gateway, {}, new Date(Date.now() - 61_000))],
    ['with that of a user', signed(testCaller)],
    ['with that of another service', signed({ ...gateway, service: 'tools' })],
    ['with one that names no address', signed({ kind: 'service', service: 'gateway' })],
  ])('%s', async (_, headers) => {
    const server = await start();
    for (const path of ['/pages/1', '/.well-known/echo', '/elsewhere']) {
      const answer = await callHttp(server, 'GET', path, { headers });
      expect([answer.status, answer.body]).toMatchObject([
        401,
        { errorCode: 'UNAUTHORIZED', requestId: answer.headers.get('x-request-id') },
      ]);
      expect(answer.headers.has(FACTS_HEADER)).toBe(false);
    }
    expect(server.runs()).toBe(0);
  });
});

it('a request that the gateway passes on is no RPC, whatever its path became on the way', async () => {
  const server = await start();
  const headers = { ...signed(gateway), 'content-type': 'application/json' };
  // `fetch` resolves `..`, as an intermediate proxy may.
  const path = `/pages/../${EchoService.typeName}/Say`;
  const answer = await callHttp(server, 'POST', path, { headers, body: '{"value":"hi"}' });
  expect([answer.status, answer.body]).toMatchObject([401, { code: 'unauthenticated' }]);
});

it('a graceful stop lets requests for pages finish, as the last of their connections', async () => {
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const server = await start({
    mounts: [
      {
        prefix: '/slow',
        timeoutMs: 5_000,
        maxBodyBytes: 0,
        async handle(_exchange, _request, response) {
          entered.resolve();
          await release.promise;
          sendJson(response, 200, { value: 'kept' });
        },
      },
    ],
  });
  const inFlight = callHttp(server, 'GET', '/slow', { headers: signed(gateway) });
  await entered.promise;
  const closing = server.close();
  release.resolve();
  const answer = await inFlight;
  expect([answer.body['value'], answer.headers.get('connection')]).toEqual(['kept', 'close']);
  await closing;
  const { hostname, port } = new URL(server.httpUrl);
  const [error] = (await once(connect(Number(port), hostname), 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNREFUSED');
});
