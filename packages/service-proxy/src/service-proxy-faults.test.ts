import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { HttpHandler } from '@fairlead/service-kit/http/app';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { callHttp } from '@fairlead/service-kit/testing/http';
import type { TestHttpService } from '@fairlead/service-kit/testing/http';
import { describe, expect, test } from 'vitest';
import { PAGE, startBrokenReplica, startProxy, startReplica } from './testing/proxied-service.ts';

const post = (proxy: TestHttpService, path = '/oauth/a') => callHttp(proxy, 'POST', path, { body: 'x' });
const read = (proxy: TestHttpService, path = '/oauth/a') => callHttp(proxy, 'GET', path);

const unavailable = [503, { errorCode: 'UNAVAILABLE', requestId: expect.any(String) as string }];
const statusAndBody = ({ status, body }: Awaited<ReturnType<typeof post>>) => [status, body];

/** The statuses of this many requests, one after the other. */
async function statuses(count: number, send: () => ReturnType<typeof post>): Promise<readonly number[]> {
  const all: number[] = [];
  for (let i = 0; i < count; i += 1) all.push((await send()).status);
  return all;
}

/** A replica that counts its requests. */
async function startCounting(handle: HttpHandler = () => undefined) {
  let count = 0;
  const replica = await startReplica(async (exchange, request, response) => {
    count += 1;
    await handle(exchange, request, response);
    sendJson(response, 200, {});
  });
  return { ...replica, requests: () => count };
}

/** A POST whose body the test sends piece by piece. */
function openPost(proxy: TestHttpService): ClientRequest {
  const request = httpRequest(`${proxy.url}/oauth/a`, { method: 'POST' });
  request.flushHeaders();
  return request;
}

async function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

describe('of several replicas', () => {
  test('each gets requests', async () => {
    const replicas = [await startCounting(), await startCounting()];
    const proxy = await startProxy(replicas);
    expect(new Set(await statuses(30, () => post(proxy)))).toEqual(new Set([200]));
    for (const replica of replicas) expect(replica.requests()).toBeGreaterThan(2);
  });

  test('one that is away costs no request, whatever its method and body', async () => {
    const [away, other] = [await startReplica(), await startCounting()];
    await away.close();
    const proxy = await startProxy([away, other]);
    expect(new Set(await statuses(30, () => post(proxy)))).toEqual(new Set([200]));
    expect(other.requests()).toBe(30);
  });

  test('one that is frozen gets few requests; POSTs that it has are 503 and not repeated', async () => {
    const [frozen, other] = [await startBrokenReplica(), await startCounting()];
    const proxy = await startProxy([frozen, other], { responseTimeoutMs: 600 });
    const seen = await statuses(40, () => post(proxy));
    // Would be every second request without avoidance.
    expect(frozen.connections()).toBeLessThan(10);
    expect(frozen.connections() + other.requests()).toBe(40);
    expect(seen.filter((status) => status === 503).length).toBeGreaterThanOrEqual(frozen.connections());
  });

  test.each([
    ['that is about to stop', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'],
    ['whose response broke', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf'],
  ])('one %s gets few requests', async (_, bytes) => {
    const leaving = await startBrokenReplica((socket) => socket.once('data', () => void socket.end(bytes)));
    const proxy = await startProxy([leaving, await startCounting()]);
    const startedAt = performance.now();
    for (let i = 0; i < 40; i += 1) await post(proxy).catch(() => undefined);
    expect(leaving.connections()).toBeGreaterThan(0);
    // After a failure the replica is avoided for 100 ms; without that, it would get every second request.
    expect(leaving.connections()).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 100);
  });

  test.each(['before', 'after'])(
    'one whose clients disconnect, %s its response begins, is not avoided',
    async (moment) => {
      let entered = Promise.withResolvers<void>();
      const left = await startCounting(async (_exchange, request, response) => {
        if (request.url !== '/hang') return;
        if (moment === 'after') response.flushHeaders();
        entered.resolve();
        await once(response, 'close');
      });
      const proxy = await startProxy([left, await startCounting()]);
      while (left.requests() < 8) {
        const client = new AbortController();
        entered = Promise.withResolvers();
        const answer = fetch(`${proxy.url}/oauth/hang`, { method: 'POST', signal: client.signal });
        // The other replica responds.
        await Promise.race([entered.promise, answer]);
        if (moment === 'after') await answer;
        client.abort();
        await answer.then((response) => response.text()).catch(() => undefined);
      }
      expect(new Set(await statuses(40, () => post(proxy)))).toEqual(new Set([200]));
      expect(left.requests()).toBeGreaterThan(8 + 4);
      expect(proxy.lines().filter(({ level }) => level !== 'info')).toEqual([]);
    },
  );

  test('GET and HEAD go to another one if the first is frozen or breaks; a GET with a body does not', async () => {
    const broken = await startBrokenReplica((socket) => socket.once('data', () => socket.resetAndDestroy()));
    for (const bad of [await startBrokenReplica(), broken]) {
      const proxy = await startProxy([bad, await startCounting()], { responseTimeoutMs: 3_000 });
      for (const method of ['GET', 'HEAD']) {
        const seen = await statuses(5, () => callHttp(proxy, method, '/oauth/a'));
        expect(new Set(seen)).toEqual(new Set([200]));
      }
      expect(bad.connections()).toBeGreaterThan(0);
    }
    const other = await startCounting();
    const proxy = await startProxy([broken, other]);
    const before = broken.connections();
    const withBody = async (): Promise<{ readonly status: number }> => {
      const request = httpRequest(`${proxy.url}/oauth/a`, { headers: { 'content-length': 2 } });
      request.end('hi');
      const response = await responseOf(request);
      response.resume();
      return { status: response.statusCode ?? 0 };
    };
    let failed = 0;
    while (failed === 0) failed += (await withBody()).status === 503 ? 1 : 0;
    expect(broken.connections() - before).toBe(failed);
  });
});

describe('if no replica responds, the client gets 503 in the envelope', () => {
  test.each([
    ['frozen', startBrokenReplica],
    ['cut off', () => startBrokenReplica((socket) => socket.once('data', () => socket.resetAndDestroy()))],
    ['no HTTP', () => startBrokenReplica((socket) => socket.once('data', () => socket.end('hello\r\n\r\n')))],
  ] as const)('%s', async (_, start) => {
    const replicas = [await start(), await start(), await start()];
    const proxy = await startProxy(replicas, { responseTimeoutMs: 50 });
    expect(statusAndBody(await post(proxy))).toMatchObject(unavailable);
    expect(statusAndBody(await read(proxy))).toMatchObject(unavailable);
    // The POST was sent once, the GET twice.
    expect(replicas.reduce((sum, { connections }) => sum + connections(), 0)).toBe(3);
  });

  test('before the time of a mount or page is over', async () => {
    const proxy = await startProxy([await startBrokenReplica()], { timeoutMs: 2_000 });
    // Repeated, because on a suspended machine the timeout of the mount or page itself may come first.
    for (const ask of [() => post(proxy), () => read(proxy, PAGE)])
      await expect.poll(async () => statusAndBody(await ask())).toMatchObject(unavailable);
  });
});

describe('a response that breaks is broken for the client, too', () => {
  test.each([
    ['of announced length', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf'],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ])('%s', async (_, half) => {
    const replica = await startBrokenReplica((socket) => socket.once('data', () => void socket.end(half)));
    const proxy = await startProxy([replica]);
    for (const method of ['GET', 'POST']) {
      const headers = { 'x-request-id': `of-${method}` };
      const answer = callHttp(proxy, method, '/oauth/a', { headers });
      await expect(answer).rejects.toThrow('terminated');
      expect(await proxy.lineOf(`of-${method}`)).toMatchObject({ status: 503 });
    }
  });

  test('one that outlasts the mount’s time is cut', async () => {
    const endless: HttpHandler = async (_exchange, _request, response) => {
      response.flushHeaders();
      await once(response, 'close');
    };
    const proxy = await startProxy([await startReplica(endless)], { timeoutMs: 3_000 });
    const headers = { 'x-request-id': 'late' };
    await expect(callHttp(proxy, 'GET', '/oauth/a', { headers })).rejects.toThrow('terminated');
    expect(await proxy.lineOf('late')).toMatchObject({ status: 504 });
    expect(JSON.stringify(proxy.lines())).not.toContain('a response of another service broke');
  });
});

describe('bodies are streamed', () => {
  test('in both directions, while the other side still sends', async () => {
    const echo: HttpHandler = (_exchange, request, response) => pipeline(request, response);
    const proxy = await startProxy([await startReplica(echo)]);
    const request = openPost(proxy);
    request.write('first');
    const response = await responseOf(request);
    expect(String((await once(response, 'data'))[0])).toBe('first');
    request.end('second');
    expect(String((await once(response, 'data'))[0])).toBe('second');
  });

  test('whole, however large', async () => {
    const echo: HttpHandler = (_exchange, request, response) => pipeline(request, response);
    const proxy = await startProxy([await startReplica(echo)]);
    const body = randomBytes(8 * 1024 * 1024);
    const request = openPost(proxy);
    const response = responseOf(request);
    request.end(body);
    const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    expect(hash(await buffer(await response))).toBe(hash(body));
  });

  test('and a client that pauses is not taken for a replica that is frozen', async () => {
    const received = Promise.withResolvers<void>();
    const replica = await startReplica(async (exchange, request, response) => {
      request.once('data', () => received.resolve());
      sendJson(response, 200, { body: (await exchange.readBody())?.toString() });
    });
    const frozen = await startBrokenReplica();
    const o = { responseTimeoutMs: 1_500 };
    const proxy = await startProxy([replica], o);
    const request = openPost(proxy);
    request.write('first ');
    await received.promise;
    // Two requests to a frozen replica take twice the time for which a replica may be silent; the client pauses that long.
    const other = await startProxy([frozen], o);
    expect(await statuses(2, () => post(other))).toEqual([503, 503]);
    request.end('second');
    const response = await responseOf(request);
    expect(JSON.parse((await buffer(response)).toString())).toEqual({ body: 'first second' });
  });

  test('and one that a replica does not take is 503', async () => {
    const replica = await startBrokenReplica((socket) => socket.pause());
    const proxy = await startProxy([replica], { responseTimeoutMs: 200 });
    const request = openPost(proxy);
    request.on('error', () => undefined);
    const response = responseOf(request);
    request.write(Buffer.alloc(32 * 1024 * 1024));
    expect((await response).statusCode).toBe(503);
    request.destroy();
  });
});
