import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '@fairlead/errors/api-error';
import { call, startEdge } from '../testing/edge.ts';
import type { TestEdge } from '../testing/edge.ts';
import { itemRoutes } from '../testing/item-routes.ts';
import type { Mount, Page } from './edge.ts';
import { sendJson } from './reply.ts';

const mount: Mount = {
  prefix: '/oauth',
  async handle(exchange, request, response) {
    if (request.url === '/stuck') await new Promise(() => {});
    if (request.url === '/broken') throw new TypeError('internal detail');
    if (request.url === '/refused') throw new ApiError('UNAVAILABLE', 'Not now.');
    if (request.url === '/token') exchange.route = '/oauth/token';
    let body = '';
    for await (const chunk of request) body += String(chunk);
    sendJson(response, 200, { method: request.method, url: request.url, body });
  },
};

const metadata: Page = {
  path: '/.well-known/oauth-protected-resource',
  isSafe: true,
  isCrossOrigin: true,
  show: (_exchange, _request, response) => sendJson(response, 200, { resource: 'x' }),
};

const plain: Page = { ...metadata, path: '/plain', isCrossOrigin: false };

let edge: TestEdge;
beforeAll(async () => {
  edge = await startEdge({
    routes: itemRoutes,
    mounts: [mount],
    pages: [metadata, plain],
    timeoutMs: 1000,
  });
});
afterAll(() => edge.close());

const lineOf = (requestId: string | null) =>
  expect
    .poll(() => edge.lines.find((line) => line['msg'] === 'request' && line['requestId'] === requestId))
    .toBeDefined()
    .then(() => edge.lines.find((line) => line['msg'] === 'request' && line['requestId'] === requestId));

describe('a mount', () => {
  test('answers any method below its prefix, without credential, with the body unread', async () => {
    const answer = await call(edge, 'POST', '/oauth/token', {
      headers: { 'x-api-key': '', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=1',
    });
    expect(answer.body).toMatchObject({ method: 'POST', url: '/token', body: 'a=1' });
    expect((await call(edge, 'PUT', '/oauth/a/b?c=d')).body).toMatchObject({ url: '/a/b?c=d' });
    expect((await call(edge, 'GET', '/oauth')).body).toMatchObject({ url: '/' });
    for (const path of ['/oauthx', '/OAUTH/token', '/a/oauth']) {
      expect((await call(edge, 'GET', path)).status).toBe(404);
    }
  });

  test('has request id and log line, under its prefix or the route that it names', async () => {
    for (const [path, route] of [
      ['/oauth/secret-path', '/oauth/…'],
      ['/oauth/token', '/oauth/token'],
    ] as const) {
      const answer = await call(edge, 'GET', path, { headers: { 'x-request-id': `id-of-${route.length}` } });
      expect(answer.headers.get('x-request-id')).toBe(`id-of-${route.length}`);
      expect(await lineOf(answer.headers.get('x-request-id'))).toMatchObject({ route, status: 200 });
    }
    expect(JSON.stringify(edge.lines)).not.toContain('secret-path');
  });

  test.each([
    ['/oauth/broken', 500, 'INTERNAL'],
    ['/oauth/refused', 503, 'UNAVAILABLE'],
    ['/oauth/stuck', 504, 'TIMEOUT'],
  ])('%s is the envelope of %i', async (path, status, code) => {
    const answer = await call(edge, 'GET', path);
    expect([answer.status, answer.body['errorCode']]).toEqual([status, code]);
    expect(answer.body['text']).not.toContain('internal detail');
  });
});

describe('a page for scripts of other sites', () => {
  test('may be read by any, and answers what their browsers ask before', async () => {
    const answer = await call(edge, 'GET', metadata.path, { headers: { origin: 'https://other.example' } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const preflight = await call(edge, 'OPTIONS', metadata.path, {
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
    expect((await call(edge, 'POST', metadata.path)).status).toBe(405);
  });

  test('no other page, and nothing of the API, is for them', async () => {
    for (const path of [plain.path, '/v1/items']) {
      const answer = await call(edge, 'GET', path, { headers: { origin: 'https://other.example' } });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null]);
    }
    expect((await call(edge, 'OPTIONS', plain.path)).status).toBe(405);
  });
});
