import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { CALLER_HEADER, signCaller } from '@fairlead/service-kit/context/caller-token';
import { FACTS_HEADER } from '@fairlead/service-kit/http/exchange-facts';
import { callHttp } from '@fairlead/service-kit/testing/http';
import type { TestHttpService } from '@fairlead/service-kit/testing/http';
import { recordSpans } from '@fairlead/service-kit/testing/recording-tracer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PAGE, startBrokenReplica, startProxy, startReplica } from './testing/proxied-service.ts';

/** Sends raw bytes; resolves to everything received until the connection closes. */
function raw(server: TestHttpService, bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return text(socket);
}

/** A replica that responds to the first data of each connection with these bytes. */
const respond = (bytes: string) => (socket: Socket) => void socket.once('data', () => void socket.end(bytes));

const bodyOf = (response: string): unknown => JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));

describe('a request is passed on', () => {
  test('with method, path, query, host, headers and body as the client sent them', async () => {
    const proxy = await startProxy([await startReplica()]);
    const path = '/oauth//a%2Fb;c/%7B?x=1&x=2&y=%20+';
    const answer = await callHttp(proxy, 'PUT', path, {
      headers: { authorization: 'Basic eDp5', cookie: 'a=1; b=2', 'content-type': 'text/x-any' },
      body: 'päyload',
    });
    expect(answer.body).toMatchObject({
      method: 'PUT',
      url: path,
      body: 'päyload',
      headers: {
        host: new URL(proxy.url).host,
        authorization: 'Basic eDp5',
        cookie: 'a=1; b=2',
        'content-type': 'text/x-any',
      },
    });
    for (const url of ['/oauth', '/oauth/', '/oauth//', '/oauth?a']) {
      expect((await callHttp(proxy, 'GET', url)).body).toMatchObject({ method: 'GET', url, body: '' });
    }
    const whole = await raw(
      proxy,
      'GET http://host.example/oauth/a?b HTTP/1.1\r\nhost: host.example\r\nconnection: close\r\n\r\n',
    );
    expect(bodyOf(whole)).toMatchObject({ url: '/oauth/a?b', headers: { host: 'host.example' } });
    for (const url of ['/oauth/../a', '/oauth/%2e%2e/a', '/oauth/..\\a']) {
      const unresolved = await raw(proxy, `GET ${url} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
      expect(bodyOf(unresolved)).toMatchObject({ url });
    }
  });

  test('with the address of the client, which nobody can forge', async () => {
    const replica = await startReplica();
    const scope = { audience: 'echo', keys: testCallerKeys };
    const caller = { kind: 'service', service: 'gateway', clientAddress: '203.0.113.66' } as const;
    const headers = {
      [CALLER_HEADER]: signCaller(caller, scope, new Date()),
      'x-forwarded-for': '203.0.113.66, 203.0.113.9',
    };
    const direct = await callHttp(await startProxy([replica]), 'GET', '/oauth/a', { headers });
    expect(direct.body).toMatchObject({ address: '127.0.0.1' });
    const behindOne = await startProxy([replica], { proxyHops: 1 });
    expect((await callHttp(behindOne, 'GET', '/oauth/a', { headers })).body).toMatchObject({
      address: '203.0.113.9',
    });
    const expecting = await raw(
      behindOne,
      `POST /oauth/a HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n${CALLER_HEADER}: ${headers[CALLER_HEADER]}\r\n` +
        'x-forwarded-for: 203.0.113.9\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi',
    );
    expect(expecting).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    const described = bodyOf(expecting.slice(expecting.indexOf('200 OK')));
    expect(described).toMatchObject({ address: '203.0.113.9', body: 'hi' });
    // The HTTP client would send a request with an Expect header before the proxy can change its headers.
    expect(described).not.toHaveProperty(['headers', 'expect']);
  });

  test('without headers of the connection, of proxies or of the platform', async () => {
    const proxy = await startProxy([await startReplica()]);
    const names = [
      'forwarded',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-real-ip',
      CALLER_HEADER,
      FACTS_HEADER,
      'proxy-authorization',
      'keep-alive',
      'te',
      'upgrade',
      'x-for-this-hop',
    ];
    const answer = await raw(
      proxy,
      `GET /oauth/a HTTP/1.1\r\nhost: x\r\n${names.map((name) => `${name}: evil\r\n`).join('')}` +
        'connection: close, X-For-This-Hop, Host, Content-Length\r\nx-kept: yes\r\ncontent-length: 2\r\n\r\nhi',
    );
    const { headers } = bodyOf(answer) as { headers: Record<string, string> };
    expect(Object.keys(headers).sort()).toEqual(
      ['connection', 'content-length', 'host', 'x-kept', 'x-request-id'].sort(),
    );
    expect(headers).toMatchObject({ host: 'x', connection: 'keep-alive' });
  });

  test('under one request id and in one trace', async () => {
    const { spans, stop } = recordSpans();
    onTestFinished(stop);
    const proxy = await startProxy([await startReplica()]);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answer = await callHttp(proxy, 'GET', '/oauth/a', {
      headers: { 'x-request-id': 'id-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    expect(answer.headers.get('x-request-id')).toBe('id-1');
    expect(answer.body).toMatchObject({ headers: { 'x-request-id': 'id-1' } });
    const [outer, inner] = spans;
    expect(outer).toMatchObject({ traceId, parentId: '00f067aa0ba902b7' });
    expect(inner).toMatchObject({ traceId, parentId: outer?.spanId });
  });

  test.each(['GET', 'DELETE', 'OPTIONS', 'POST', 'PROPFIND'])(
    'as one request, if a chunked body of %s looks like two',
    async (method) => {
      const proxy = await startProxy([await startReplica()]);
      const hidden = 'GET /oauth/hidden HTTP/1.1\r\nhost: x\r\n\r\n';
      const answer = await raw(
        proxy,
        `${method} /oauth/a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n` +
          `connection: close, transfer-encoding\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
      );
      expect(bodyOf(answer)).toMatchObject({
        method,
        url: '/oauth/a',
        body: hidden,
        // Otherwise, each response would look like that of a stopping replica.
        headers: { connection: 'keep-alive' },
      });
    },
  );

  test('with headers as large as the gateway accepts, in both directions', async () => {
    const replica = await startReplica((_exchange, request, response) => {
      response.writeHead(303, { location: `https://client.example/?${request.url}` }).end();
    });
    const state = 'x'.repeat(30_000);
    const answer = await raw(
      await startProxy([replica]),
      `GET /oauth/auth?state=${state} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 303 /);
    expect(answer).toContain(`location: https://client.example/?/auth?state=${state}\r\n`);
  });
});

describe('a response is passed on', () => {
  test('with its status and headers, without those of the connection and of the platform', async () => {
    const replica = await startBrokenReplica(
      respond(
        'HTTP/1.1 418 Teapot\r\ncontent-length: 2\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nlink: <a>\r\nlink: <b>\r\n' +
          "content-security-policy: default-src 'none'\r\nx-request-id: theirs\r\nx-fairlead-other: secret\r\n" +
          'connection: close, x-for-this-hop\r\nx-for-this-hop: yes\r\nkeep-alive: timeout=7\r\n\r\nhi',
      ),
    );
    const proxy = await startProxy([replica]);
    const answer = await callHttp(proxy, 'GET', '/oauth/a', { headers: { 'x-request-id': 'ours' } });
    expect([answer.status, answer.body['text']]).toEqual([418, 'hi']);
    const { date: _date, ...headers } = Object.fromEntries(answer.headers);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(headers).toEqual({
      'content-length': '2',
      'set-cookie': 'b=2',
      link: '<a>, <b>',
      'content-security-policy': "default-src 'none'",
      'x-request-id': 'ours',
      connection: 'keep-alive',
      'keep-alive': 'timeout=65',
    });
  });

  test('for the log of the gateway, with the route, account and user that the replica knows', async () => {
    const proxy = await startProxy([await startReplica()]);
    const answer = await callHttp(proxy, 'GET', '/oauth/secret-path');
    expect(answer.headers.has(FACTS_HEADER)).toBe(false);
    expect(await proxy.lineOf(answer.headers.get('x-request-id'))).toMatchObject({
      route: '/oauth/{pageId}',
      accountId: 'acc_1',
      userId: 'usr_1',
      status: 200,
    });
    const plain = await startProxy([await startBrokenReplica(respond('HTTP/1.1 204 None\r\n\r\n'))]);
    const silent = await callHttp(plain, 'GET', '/oauth/secret-path');
    expect(await plain.lineOf(silent.headers.get('x-request-id'))).toMatchObject({ route: '/oauth/…' });
  });

  test('to clients that know HTTP/1.0 only', async () => {
    const proxy = await startProxy([await startReplica()]);
    const answer = await raw(proxy, 'GET /oauth/a HTTP/1.0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(bodyOf(answer)).toMatchObject({ url: '/oauth/a' });
  });

  test('which cannot be sent, is cut, and the gateway lives', async () => {
    const odd = await startBrokenReplica(respond('HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n'));
    const proxy = await startProxy([odd]);
    const headers = { 'x-request-id': 'id-1' };
    await expect(callHttp(proxy, 'GET', '/oauth/a', { headers })).rejects.toThrow('fetch failed');
    expect(await proxy.lineOf('id-1')).toMatchObject({ status: 503 });
  });
});

describe('a page', () => {
  test('is passed on with every method, and the service answers for CORS', async () => {
    const proxy = await startProxy([await startReplica()]);
    const read = await callHttp(proxy, 'GET', PAGE, { headers: { origin: 'https://other.example' } });
    expect([read.body['page'], read.headers.get('access-control-allow-origin')]).toEqual(['echo', '*']);
    const head = await callHttp(proxy, 'HEAD', PAGE);
    expect([head.status, head.headers.get('content-length')]).toEqual([
      200,
      read.headers.get('content-length'),
    ]);
    const preflight = await callHttp(proxy, 'OPTIONS', PAGE);
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD, OPTIONS',
    ]);
    const posted = await callHttp(proxy, 'POST', PAGE, { body: 'x' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await proxy.lineOf(posted.headers.get('x-request-id'))).toMatchObject({ route: PAGE });
    expect((await callHttp(proxy, 'GET', `${PAGE}/more`)).status).toBe(404);
  });

  test('of which the service is away, is 503', async () => {
    const replica = await startReplica();
    await replica.close();
    const proxy = await startProxy([replica]);
    for (const path of [PAGE, '/oauth/a']) {
      const answer = await callHttp(proxy, 'GET', path);
      expect([answer.status, answer.body]).toMatchObject([
        503,
        { errorCode: 'UNAVAILABLE', requestId: answer.headers.get('x-request-id') },
      ]);
    }
  });
});

test('a client that disconnects ends the work of the replica', async () => {
  const entered = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const replica = await startReplica(async (exchange) => {
    const { signal } = exchange.contextFor({ kind: 'service', service: 'echo' });
    entered.resolve();
    await once(signal, 'abort');
    aborted.resolve();
  });
  const proxy = await startProxy([replica]);
  const client = new AbortController();
  const answer = fetch(`${proxy.url}/oauth/a`, { method: 'POST', body: 'x', signal: client.signal });
  await entered.promise;
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await aborted.promise;
  await expect
    .poll(() => proxy.lines())
    .toContainEqual(expect.objectContaining({ msg: 'request', status: 499 }));
});
