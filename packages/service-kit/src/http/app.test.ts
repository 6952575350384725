import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ApiError } from '@fairlead/errors/api-error';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { callHttp, startHttpService } from '../testing/http.ts';
import type { TestHttpService } from '../testing/http.ts';
import type { HttpHandler, HttpPath, Mount, Page } from './app.ts';
import { MAX_FORM_BYTES } from './form.ts';
import { sendJson } from './reply.ts';

const MAX_BODY_BYTES = 16;

const mount: Mount = {
  prefix: '/oauth',
  timeoutMs: 60_000,
  maxBodyBytes: MAX_BODY_BYTES,
  async handle(exchange, request, response) {
    if (request.url === '/broken') throw new TypeError('internal detail');
    if (request.url === '/refused') throw new ApiError('UNAVAILABLE', 'Not now.');
    if (request.url === '/token') exchange.route = '/oauth/token';
    const body = await exchange.readBody(request.url === '/narrow' ? { atMost: 1 } : {});
    sendJson(response, 200, {
      method: request.method,
      url: request.url,
      body: body === undefined ? 'too large' : body.toString(),
    });
  },
};

const sayHow: HttpHandler = async (exchange, request, response) => {
  const body = await exchange.readBody();
  sendJson(response, 200, { bytes: body?.length ?? 'too large', params: { ...request.params } });
};

/** Never answers. */
const stuck: Mount = {
  prefix: '/stuck',
  timeoutMs: 100,
  maxBodyBytes: MAX_BODY_BYTES,
  handle: () => new Promise(() => {}),
};

/** Twice the body, and a deadline that no test reaches. */
const roomy: Mount = {
  prefix: '/roomy',
  timeoutMs: 60_000,
  maxBodyBytes: 2 * MAX_BODY_BYTES,
  async handle(exchange, request, response) {
    // Resolves when the mount with the shorter deadline has timed out.
    if (request.url === '/slow') await stuckAnswered.promise;
    await sayHow(exchange, request, response);
  },
};
const stuckAnswered = Promise.withResolvers<void>();

const item: HttpPath = { path: '/v1/items/{itemId}', maxBodyBytes: 3 * MAX_BODY_BYTES, handle: sayHow };

const metadata: Page = {
  path: '/.well-known/oauth-protected-resource',
  isSafe: true,
  isCrossOrigin: true,
  show: (_exchange, _request, response) => sendJson(response, 200, { resource: 'x' }),
};

const plain: Page = { ...metadata, path: '/plain', isCrossOrigin: false };
/** Another service decides which methods it supports. */
const proxied: Page = {
  path: '/proxied',
  isSafe: true,
  isProxied: true,
  show: (_exchange, request, response) => sendJson(response, 200, { method: request.method }),
};
/** A page reads no body, whatever is sent. */
const bodied: Page = { ...plain, path: '/bodied', show: sayHow };
const formed: Page = { ...plain, path: '/formed', submit: sayHow };

let service: TestHttpService;
beforeAll(async () => {
  service = await startHttpService({
    mounts: [mount, stuck, roomy],
    pages: [metadata, plain, bodied, formed, proxied],
    paths: [item],
  });
});
afterAll(() => service.close());

describe('a mount', () => {
  test('serves any method below its prefix', async () => {
    const answer = await callHttp(service, 'POST', '/oauth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=1',
    });
    expect(answer.body).toMatchObject({ method: 'POST', url: '/token', body: 'a=1' });
    expect((await callHttp(service, 'PUT', '/oauth/a/b?c=d')).body).toMatchObject({ url: '/a/b?c=d' });
    expect((await callHttp(service, 'GET', '/oauth')).body).toMatchObject({ url: '/' });
    for (const path of ['/oauthx', '/OAUTH/token', '/a/oauth']) {
      expect((await callHttp(service, 'GET', path)).status).toBe(404);
    }
  });

  test('has request id and log line, under its prefix or the route that it names', async () => {
    for (const [path, route] of [
      ['/oauth/secret-path', '/oauth/…'],
      ['/oauth/token', '/oauth/token'],
    ] as const) {
      const requestId = `id-of-${route.length}`;
      const answer = await callHttp(service, 'GET', path, { headers: { 'x-request-id': requestId } });
      expect(answer.headers.get('x-request-id')).toBe(requestId);
      expect(await service.lineOf(requestId)).toMatchObject({ route, status: 200 });
    }
    expect(JSON.stringify(service.lines())).not.toContain('secret-path');
  });

  test.each([
    ['/oauth/broken', 500, 'INTERNAL'],
    ['/oauth/refused', 503, 'UNAVAILABLE'],
    ['/stuck', 504, 'TIMEOUT'],
  ])('%s is the envelope of %i', async (path, status, code) => {
    const answer = await callHttp(service, 'GET', path);
    expect([answer.status, answer.body['errorCode']]).toEqual([status, code]);
    expect(answer.body['text']).not.toContain('internal detail');
  });

  test('has its own deadline: another mount still has time when the first one times out', async () => {
    const slow = callHttp(service, 'GET', '/roomy/slow');
    expect((await callHttp(service, 'GET', '/stuck')).status).toBe(504);
    stuckAnswered.resolve();
    expect((await slow).status).toBe(200);
  });
});

test('a page with a form takes POST, with a body of the size of a form; another page does not', async () => {
  const post = (path: string, size: number) => callHttp(service, 'POST', path, { body: 'x'.repeat(size) });
  expect((await post('/formed', MAX_FORM_BYTES)).body).toMatchObject({ bytes: MAX_FORM_BYTES });
  expect((await post('/formed', MAX_FORM_BYTES + 1)).body).toMatchObject({ bytes: 'too large' });
  expect((await callHttp(service, 'GET', '/formed')).body).toMatchObject({ resource: 'x' });
  for (const [path, allow] of [
    ['/plain', 'GET, HEAD'],
    ['/formed', 'GET, HEAD, POST'],
  ] as const) {
    const refused = await callHttp(service, path === '/plain' ? 'POST' : 'PUT', path);
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, allow]);
  }
});

describe('the limit of a body', () => {
  const full = 'x'.repeat(MAX_BODY_BYTES);
  const bytes = async (path: string, body: string, headers = {}) =>
    (await callHttp(service, 'POST', path, { body, headers })).body;

  test('is each mount’s and each path’s own', async () => {
    expect(await bytes('/oauth', full)).toMatchObject({ body: full });
    expect(await bytes('/oauth', `${full}x`)).toMatchObject({ body: 'too large' });
    expect(await bytes('/roomy', full + full)).toMatchObject({ bytes: 2 * MAX_BODY_BYTES });
    expect(await bytes('/roomy', `${full + full}x`)).toMatchObject({ bytes: 'too large' });
    expect(await bytes('/v1/items/7', full + full + full)).toMatchObject({
      bytes: 3 * MAX_BODY_BYTES,
      params: { itemId: '7' },
    });
    expect(await bytes('/v1/items/7', `${full + full + full}x`)).toMatchObject({ bytes: 'too large' });
  });

  test('applies to a body of unannounced size', async () => {
    const send = (text: string) =>
      fetch(`${service.url}/oauth`, {
        method: 'POST',
        body: Readable.toWeb(
          Readable.from([text.slice(0, 3), text.slice(3)].map((part) => Buffer.from(part))),
        ),
        duplex: 'half',
      }).then((answer) => answer.json());
    expect(await send(full)).toMatchObject({ body: full });
    expect(await send(`${full}x`)).toMatchObject({ body: 'too large' });
  });

  test('may be narrowed by the handler, not widened', async () => {
    expect(await bytes('/oauth/narrow', 'x')).toMatchObject({ body: 'x' });
    expect(await bytes('/oauth/narrow', 'xx')).toMatchObject({ body: 'too large' });
  });

  test('is nothing at all for a page', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const request = http.request(
        `${service.url}/bodied`,
        { headers: { 'content-length': 1 } },
        (response) => {
          text(response).then(resolve, reject);
        },
      );
      request.on('error', reject);
      request.end('x');
    });
    expect(JSON.parse(answer)).toMatchObject({ bytes: 'too large' });
  });
});

describe('a page for scripts of other sites', () => {
  test('may be read by any, and handles their CORS preflight', async () => {
    const answer = await callHttp(service, 'GET', metadata.path, {
      headers: { origin: 'https://other.example' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const preflight = await callHttp(service, 'OPTIONS', metadata.path, {
      headers: {
        origin: 'https://other.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    expect((await callHttp(service, 'POST', metadata.path)).status).toBe(405);
  });

  test('no other page, and nothing of the API, is for them', async () => {
    for (const path of [plain.path, item.path]) {
      const answer = await callHttp(service, 'GET', path, { headers: { origin: 'https://other.example' } });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null]);
    }
    expect((await callHttp(service, 'OPTIONS', plain.path)).status).toBe(405);
  });
});

test('a page of another service gets every method, and no CORS headers of ours', async () => {
  for (const method of ['GET', 'OPTIONS', 'POST']) {
    const answer = await callHttp(service, method, proxied.path, {
      headers: { origin: 'https://other.example' },
    });
    expect([answer.status, answer.body]).toMatchObject([200, { method }]);
    expect(answer.headers.get('access-control-allow-origin')).toBe(null);
    expect(await service.lineOf(answer.headers.get('x-request-id'))).toMatchObject({ route: proxied.path });
  }
});

test('what a refused client still sends is not read all at once', async () => {
  let socket: Socket | undefined;
  const refusing: Mount = {
    ...mount,
    handle(_exchange, request) {
      ({ socket } = request);
      throw new ApiError('UNAVAILABLE', 'Not now.');
    },
  };
  const refuser = await startHttpService({ mounts: [refusing] });
  onTestFinished(() => refuser.close());
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const body = Buffer.alloc(5 * 1024 * 1024);
  const sent = http.request(`${refuser.url}/oauth`, { method: 'POST' });
  onTestFinished(() => void sent.destroy());
  sent.end(body);
  await once(sent, 'response');
  for (let turns = 500; turns > 0; turns -= 1) await new Promise(setImmediate);
  expect(socket?.bytesRead).toBeLessThan(256 * 1024);
});

describe('an address that is no route', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const PATHS = ['/nothing', '/v1/nothing/at/all', '/%ff'];

  test.each(PATHS)('%s is a page to a browser', async (path) => {
    const { status, headers, body } = await callHttp(service, 'GET', path, { headers: { accept: BROWSER } });
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(body['text']).toContain('<h1>Page not found</h1>');
  });

  test.each(PATHS)('%s is the error envelope to a program, and to a form', async (path) => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/html']) {
      const { body } = await callHttp(service, 'GET', path, { headers: { accept } });
      expect(body['errorCode'], accept).toBe('NOT_FOUND');
    }
    const { body } = await callHttp(service, 'POST', path, { headers: { accept: BROWSER } });
    expect(body['errorCode']).toBe('NOT_FOUND');
  });
});
