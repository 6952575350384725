import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from './testing/define-route.ts';
import { call, startTestEdge } from './testing/edge.ts';
import type { TestEdge } from './testing/edge.ts';
import { itemRoutes } from './testing/item-routes.ts';
import { MAX_BODY_BYTES } from './body.ts';

let edge: TestEdge;
beforeAll(async () => {
  edge = await startTestEdge({ routes: itemRoutes });
});
afterAll(() => edge.close());

const NO_KEY = { 'x-api-key': '' };

describe('the order of checks', () => {
  test('an unmatched path is 404 for anyone, with the envelope', async () => {
    const answer = await call(edge, 'GET', '/v1/nothing', { headers: NO_KEY });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({
      errorCode: 'NOT_FOUND',
      requestId: answer.headers.get('x-request-id'),
    });
  });

  test('a path that cannot be decoded, differs in case or has a trailing slash is no route; the nearest is named', async () => {
    for (const [path, nearest] of [
      ['/v1/items/%E0%A4%A', '/v1/items/{itemId}'],
      ['/V1/items', '/v1/items'],
      ['/v1/items/', '/v1/items'],
    ] as const) {
      const { status, body } = await call(edge, 'GET', path);
      expect([status, body['message']]).toEqual([
        404,
        `The route does not exist. Did you mean GET ${nearest}?`,
      ]);
    }
  });

  test('a missing credential comes before the method, the body and the parameters', async () => {
    const wrongMethod = await call(edge, 'PATCH', '/v1/items', { headers: NO_KEY });
    expect(wrongMethod.status).toBe(401);
    const wrongBody = await call(edge, 'POST', '/v1/items', {
      headers: { ...NO_KEY, 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(wrongBody.status).toBe(401);
    expect((await call(edge, 'GET', '/v1/items/abc', { headers: NO_KEY })).status).toBe(401);
  });

  test('a known path with another method is 405 and says which it has', async () => {
    const answer = await call(edge, 'PATCH', '/v1/items');
    expect([answer.status, answer.body['errorCode']]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
  });

  test('a body above 5 MiB is 413, before its media type and form count', async () => {
    const body = new Uint8Array(MAX_BODY_BYTES + 1);
    const declared = await call(edge, 'POST', '/v1/items', {
      body,
      headers: { 'content-type': 'text/plain' },
    });
    expect([declared.status, declared.body['errorCode']]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('a body that is announced to be above 5 MiB is 413 before any of it is sent', async () => {
    const request = http.request(`${edge.url}/v1/items`, {
      method: 'POST',
      headers: { 'x-api-key': 'good', 'content-length': MAX_BODY_BYTES + 1 },
    });
    request.flushHeaders();
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(answer.statusCode).toBe(413);
    request.destroy();
  });

  test('a body above 5 MiB without a Content-Length is 413 too', async () => {
    const chunk = new Uint8Array(1024 * 1024);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 6; i += 1) controller.enqueue(chunk);
        controller.close();
      },
    });
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { 'x-api-key': 'good' },
      body: stream,
      duplex: 'half',
    };
    expect((await fetch(`${edge.url}/v1/items`, init)).status).toBe(413);
  });

  test('a body of exactly 5 MiB is read', async () => {
    const frame = JSON.stringify({ name: 'a', data: { text: '' } }).length;
    const json = { name: 'a', data: { text: 'x'.repeat(MAX_BODY_BYTES - frame) } };
    expect((await call(edge, 'POST', '/v1/items', { json })).status).toBe(201);
  });

  test.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/problem+json',
  ])('a body sent as %s is 415, also where it is not JSON', async (type) => {
    const body = new TextEncoder().encode('{');
    const answer = await call(edge, 'POST', '/v1/items', {
      body,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    });
    expect([answer.status, answer.body['errorCode']]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test('a compressed body is 415: nothing is inflated', async () => {
    const answer = await call(edge, 'POST', '/v1/items', {
      json: { name: 'a' },
      headers: { 'content-encoding': 'gzip' },
    });
    expect(answer.status).toBe(415);
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    '%s is JSON',
    async (type) => {
      const answer = await call(edge, 'POST', '/v1/items', {
        body: '{"name":"a"}',
        headers: { 'content-type': type },
      });
      expect(answer.status).toBe(201);
    },
  );

  test.each(['', '{', '[]', '"text"', 'null', '1'])('the body %j is MALFORMED_BODY', async (body) => {
    const answer = await call(edge, 'POST', '/v1/items', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, answer.body['errorCode']]).toEqual([400, 'MALFORMED_BODY']);
  });

  test('a body that is not UTF-8 is MALFORMED_BODY', async () => {
    const body = Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const answer = await call(edge, 'POST', '/v1/items', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.body['errorCode']).toBe('MALFORMED_BODY');
  });

  test('an empty body is fine where none is taken, and only there', async () => {
    const answer = await call(edge, 'POST', '/v1/items/import');
    expect([answer.status, answer.body['errorCode']]).toEqual([400, 'MALFORMED_BODY']);
    expect((await call(edge, 'DELETE', '/v1/items/1')).status).toBe(204);
  });
});

describe('answers', () => {
  test('a good x-request-id is kept, any other is replaced by a UUIDv7', async () => {
    const kept = await call(edge, 'GET', '/v1/items', { headers: { 'x-request-id': 'my.request_1-A' } });
    expect(kept.headers.get('x-request-id')).toBe('my.request_1-A');
    for (const given of ['has space', 'x'.repeat(129), '']) {
      const made = await call(edge, 'GET', '/v1/items', { headers: { 'x-request-id': given } });
      expect(made.headers.get('x-request-id')).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }
  });

  test('a conflict that offers a choice carries candidates and no details', async () => {
    const answer = await call(edge, 'POST', '/v1/items', { json: { name: 'taken' } });
    expect([answer.status, answer.body['candidates']]).toEqual([409, ['a', 'b']]);
    expect(answer.body).not.toHaveProperty('details');
    expect(answer.body['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('HEAD answers as GET without a body; OPTIONS lists the methods, with a credential', async () => {
    const head = await call(edge, 'HEAD', '/v1/items');
    expect([head.status, head.body['text']]).toEqual([200, '']);
    const options = await call(edge, 'OPTIONS', '/v1/items/1');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, DELETE, HEAD, OPTIONS']);
    expect((await call(edge, 'OPTIONS', '/v1/items/1', { headers: NO_KEY })).status).toBe(401);
  });

  test('an anonymous route needs no credential; null is an answer', async () => {
    const answer = await call(edge, 'GET', '/v1/open', { headers: NO_KEY });
    expect([answer.status, answer.body['text']]).toEqual([200, 'null']);
    expect((await call(edge, 'POST', '/v1/open', { headers: NO_KEY })).status).toBe(405);
  });

  test('a request leaves one log line, which names the route and not the path', async () => {
    const answer = await call(edge, 'GET', '/v1/items/42?secret=1');
    const requestId = answer.headers.get('x-request-id');
    await expect.poll(() => edge.lines.filter((line) => line['requestId'] === requestId).length).toBe(1);
    const line = edge.lines.find((entry) => entry['requestId'] === requestId);
    expect(line).toMatchObject({
      msg: 'request',
      method: 'GET',
      route: '/v1/items/{itemId}',
      status: 200,
      accountId: 'acc_test',
    });
    expect(JSON.stringify(line)).not.toContain('secret');
  });
});

describe('cancellation', () => {
  test('a client that goes away aborts what runs for it', async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const slow = defineRoute(
      {
        operationId: 'slow',
        method: 'get',
        path: '/v1/slow',
        tags: ['Items'],
        summary: 'Slow',
        auth: 'credential',
        response: z.null(),
        errors: [],
      },
      async ({ ctx }) => {
        ctx.signal.addEventListener('abort', () => aborted.resolve());
        started.resolve();
        await delay(60_000, undefined, { signal: ctx.signal });
        return null;
      },
    );
    const slowEdge = await startTestEdge({ routes: [slow] });
    const client = new AbortController();
    const request = fetch(`${slowEdge.url}/v1/slow`, {
      headers: { 'x-api-key': 'good' },
      signal: client.signal,
    });
    await started.promise;
    client.abort();
    await expect(request).rejects.toThrow('aborted');
    await aborted.promise;
    await expect.poll(() => slowEdge.lines.at(-1)).toMatchObject({ msg: 'request', status: 499 });
    await slowEdge.close();
  });
});
