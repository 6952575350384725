import http from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Principal } from '@fairlead/access/principal';
import { defineRoute } from './testing/define-route.ts';
import { GOOD_KEY, OPERATOR_KEY, TEST_OWNER, call, startTestEdge } from './testing/edge.ts';
import type { TestEdge } from './testing/edge.ts';

let edge: TestEdge;
afterEach(() => edge.close());

const CODES = ['CONFLICT', 'CONNECTION_BLOCKED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'] as const;

/** A route whose handler runs `work`. */
function paying(
  work: (body: { readonly refusal?: string | undefined }, signal: AbortSignal) => Promise<void>,
) {
  let runs = 0;
  const declaration = {
    operationId: 'pay',
    method: 'post',
    path: '/v1/payments',
    tags: ['Items'],
    summary: 'Pay',
    body: z.object({ amount: z.int(), refusal: z.string().optional() }),
    response: z.strictObject({ id: z.int() }),
    status: 201,
    errors: [...CODES],
  } as const;
  const handle = async ({
    body,
    ctx,
  }: {
    body: { refusal?: string | undefined };
    ctx: { signal: AbortSignal };
  }) => {
    runs += 1;
    const id = runs;
    await work(body, ctx.signal);
    return { id };
  };
  return {
    routes: [
      defineRoute({ ...declaration, auth: 'credential' }, handle),
      defineRoute(
        { ...declaration, operationId: 'operate', path: '/operator/v1/payments', auth: 'operator' },
        handle,
      ),
      defineRoute({ ...declaration, operationId: 'put', method: 'put', auth: 'credential' }, handle),
      defineRoute({ ...declaration, operationId: 'open', path: '/v1/open', auth: 'anonymous' }, handle),
    ],
    runs: () => runs,
  };
}

const willing = () =>
  paying(({ refusal }) => {
    if (refusal === undefined) return Promise.resolve();
    return Promise.reject(new ApiError(refusal as ErrorCode, 'Refused.'));
  });

const pay = (
  json: Record<string, unknown> = { amount: 1 },
  o: { readonly key?: string; readonly path?: string; readonly headers?: Record<string, string> } = {},
) =>
  call(edge, 'POST', o.path ?? '/v1/payments', {
    json,
    headers: { 'idempotency-key': o.key ?? 'k', ...o.headers },
  });

describe('a POST with an Idempotency-Key', () => {
  test('runs once; from then on its answer is given again, byte by byte', async () => {
    const { routes, runs } = willing();
    edge = await startTestEdge({ routes });
    const [first, again] = [await pay(), await pay()];
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect([again.body['text'], again.headers.get('content-type')]).toEqual([
      first.body['text'],
      first.headers.get('content-type'),
    ]);
    expect(runs()).toBe(1);
    expect(edge.audited).toHaveLength(1);
    expect(edge.counted).toHaveLength(2);
  });

  test('of another body, even by a blank, is IDEMPOTENCY_CONFLICT', async () => {
    const { routes, runs } = willing();
    edge = await startTestEdge({ routes });
    await pay();
    const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' };
    for (const body of ['{"amount":2}', '{"amount": 1}', '', '{']) {
      const answer = await call(edge, 'POST', '/v1/payments', { body, headers });
      expect([answer.status, answer.body['errorCode']]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    }
    expect(runs()).toBe(1);
  });

  test('is another call with another key, path, query, user or account, and without a key', async () => {
    const { routes, runs } = willing();
    const principals = { usr_test: TEST_OWNER, usr_two: { ...TEST_OWNER, userId: 'usr_two' } };
    edge = await startTestEdge({
      routes,
      authenticate: (headers) =>
        Promise.resolve(headers['x-user'] === 'two' ? principals.usr_two : principals.usr_test),
    });
    await pay();
    await pay({ amount: 1 }, { key: 'K' });
    await pay({ amount: 1 }, { path: '/v1/payments?a=1' });
    await pay({ amount: 1 }, { headers: { 'x-user': 'two' } });
    await pay({ amount: 1 }, { path: '/operator/v1/payments', headers: OPERATOR_KEY });
    await call(edge, 'POST', '/v1/payments', { json: { amount: 1 } });
    await call(edge, 'POST', '/v1/payments', { json: { amount: 1 } });
    expect(runs()).toBe(7);
  });

  test('is answered with its refusal again, under the id of the request that asks', async () => {
    const { routes, runs } = willing();
    edge = await startTestEdge({ routes });
    const refused = await pay({ amount: 1, refusal: 'CONFLICT' });
    const again = await pay({ amount: 1, refusal: 'CONFLICT' });
    expect([again.status, again.headers.get('idempotency-replayed'), runs()]).toEqual([409, 'true', 1]);
    expect(again.body['requestId']).toBe(again.headers.get('x-request-id'));
    const ids = [refused, again].map(({ body }) => String(body['requestId']));
    expect(String(again.body['text']).replace(ids[1] ?? '', ids[0] ?? '')).toBe(refused.body['text']);
  });

  test('is answered with its validation error again', async () => {
    const { routes, runs } = willing();
    edge = await startTestEdge({ routes });
    expect((await pay({})).headers.get('idempotency-replayed')).toBeNull();
    const again = await pay({});
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([400, 'true']);
    expect(again.body['details']).toEqual([{ field: 'amount', issue: 'is required' }]);
    expect(runs()).toBe(0);
  });

  test.each([
    ['CONFLICT', 1],
    ['CONNECTION_BLOCKED', 1],
    ['FORBIDDEN', 1],
    ['RATE_LIMIT_EXCEEDED', 2],
    ['UNAVAILABLE', 2],
  ] as const)('that was refused with %s and comes again has run %i time(s)', async (refusal, expected) => {
    const { routes, runs } = willing();
    edge = await startTestEdge({ routes });
    for (let i = 0; i < 2; i += 1)
      expect((await pay({ amount: 1, refusal })).body['errorCode']).toBe(refusal);
    expect(runs()).toBe(expected);
  });

  test('of another media type is refused again, and another body with the key conflicts', async () => {
    edge = await startTestEdge({ routes: willing().routes });
    const send = (body: string, type: string) =>
      call(edge, 'POST', '/v1/payments', {
        body,
        headers: { 'content-type': type, 'idempotency-key': 'k' },
      });
    expect((await send('{}', 'text/plain')).headers.get('idempotency-replayed')).toBeNull();
    const again = await send('{}', 'text/plain');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([415, 'true']);
    expect((await send('{"amount":1}', 'application/json')).status).toBe(409);
  });

  test('is another one for each restricted key of a user, and for the user', async () => {
    const { routes, runs } = willing();
    const callers: Principal[] = [
      TEST_OWNER,
      { ...TEST_OWNER, credentialId: 'key_2' },
      { ...TEST_OWNER, credentialId: 'key_3', scopes: [] },
      { ...TEST_OWNER, credentialId: 'key_4', toolsetId: 'toolset-1' },
      { ...TEST_OWNER, credentialId: 'key_5', toolsetId: 'toolset-1' },
    ];
    let caller = TEST_OWNER;
    edge = await startTestEdge({
      routes: routes.map((route) => ({ ...route, toolsetKeys: 'any' as const })),
      authenticate: () => Promise.resolve(caller),
    });
    const ids: unknown[] = [];
    for (const each of callers) {
      caller = each;
      ids.push((await pay()).body['id']);
    }
    // The first two callers are the same user without restrictions.
    expect(ids).toEqual([1, 1, 2, 3, 4]);
    expect(runs()).toBe(4);
  });

  test('is refused again where the permission was missing, and not answered again to who lost it', async () => {
    const { routes, runs } = willing();
    let permissions: Principal['permissions'] = [];
    edge = await startTestEdge({
      routes: routes.map((route) => ({ ...route, permission: 'tools.execute' as const })),
      authenticate: () => Promise.resolve({ ...TEST_OWNER, permissions }),
    });
    expect((await pay()).headers.get('idempotency-replayed')).toBeNull();
    permissions = ['tools.execute'];
    const again = await pay();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([403, 'true']);
    expect((await pay({ amount: 1 }, { key: 'other' })).status).toBe(201);
    permissions = [];
    const lost = await pay({ amount: 1 }, { key: 'other' });
    expect([lost.status, lost.headers.get('idempotency-replayed')]).toEqual([403, null]);
    expect(runs()).toBe(1);
  });

  test('that fails unexpectedly runs again', async () => {
    let isBroken = true;
    const { routes } = paying(() => (isBroken ? Promise.reject(new TypeError('broken')) : Promise.resolve()));
    edge = await startTestEdge({ routes });
    expect((await pay()).status).toBe(500);
    isBroken = false;
    expect((await pay()).body).toMatchObject({ id: 2 });
  });

  test('is IDEMPOTENCY_IN_PROGRESS while the first runs', async () => {
    const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { routes, runs } = paying(() => {
      started.resolve();
      return finish.promise;
    });
    edge = await startTestEdge({ routes });
    const first = pay();
    await started.promise;
    expect((await pay()).body['errorCode']).toBe('IDEMPOTENCY_IN_PROGRESS');
    finish.resolve();
    expect((await first).status).toBe(201);
    expect([(await pay()).status, runs()]).toEqual([201, 1]);
  });

  test('runs on to its end when its client goes away, so that the next one gets the answer', async () => {
    const [started, finish] = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<void>()];
    const { routes, runs } = paying((_body, signal) => {
      started.resolve(signal);
      return finish.promise;
    });
    edge = await startTestEdge({ routes });
    const client = new AbortController();
    const request = fetch(`${edge.url}/v1/payments`, {
      method: 'POST',
      headers: { ...GOOD_KEY, 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: '{"amount":1}',
      signal: client.signal,
    });
    const signal = await started.promise;
    client.abort();
    await expect(request).rejects.toThrow('aborted');
    await expect.poll(() => edge.lines.at(-1)).toMatchObject({ msg: 'request', status: 499 });
    expect(signal.aborted).toBe(false);
    finish.resolve();
    await expect.poll(async () => (await pay()).status).toBe(201);
    expect(runs()).toBe(1);
  });

  test('whose deadline passes is TIMEOUT; its key stays taken until it has really ended', async () => {
    const finish = Promise.withResolvers<void>();
    const { routes, runs } = paying(() => finish.promise);
    edge = await startTestEdge({ routes, dataTimeoutMs: 700 });
    expect((await pay()).status).toBe(504);
    await expect.poll(async () => (await pay()).body['errorCode']).toBe('IDEMPOTENCY_IN_PROGRESS');
    finish.resolve();
    await expect.poll(async () => (await pay()).status).toBe(201);
    expect(runs()).toBe(1);
  });
});

describe('the key', () => {
  test.each(['a', 'x'.repeat(255)])('of 1 to 255 characters is taken: %j', async (key) => {
    edge = await startTestEdge({ routes: willing().routes });
    expect((await pay({ amount: 1 }, { key })).status).toBe(201);
  });

  test.each([[['']], [['x'.repeat(256)]], [['a', 'b']], [['a', 'a']]])(
    'sent as %j is a VALIDATION_ERROR',
    async (keys) => {
      const { routes, runs } = willing();
      edge = await startTestEdge({ routes });
      const { status, body } = await postRaw(keys);
      expect([status, body['errorCode'], runs()]).toEqual([400, 'VALIDATION_ERROR', 0]);
      expect(body['details']).toMatchObject([{ field: 'Idempotency-Key' }]);
    },
  );

  test('that is none comes before everything of the body', async () => {
    edge = await startTestEdge({ routes: willing().routes });
    for (const type of ['text/plain', 'application/json']) {
      const headers = { 'content-type': type, 'idempotency-key': '' };
      const { body } = await call(edge, 'POST', '/v1/payments', { body: '{', headers });
      expect(body['details']).toMatchObject([{ field: 'Idempotency-Key' }]);
    }
  });

  test('means nothing on another method and where the caller is unknown', async () => {
    const { routes, runs } = willing();
    edge = await startTestEdge({ routes });
    const headers = { 'idempotency-key': 'x'.repeat(256) };
    for (const [method, path] of [
      ['PUT', '/v1/payments'],
      ['POST', '/v1/open'],
    ] as const) {
      for (let i = 0; i < 2; i += 1)
        expect((await call(edge, method, path, { json: { amount: 1 }, headers })).status).toBe(201);
    }
    expect(runs()).toBe(4);
  });
});

/** Sends one header line per key; fetch would join them. */
function postRaw(
  keys: readonly string[],
): Promise<{ status: number | undefined; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const headers = { ...GOOD_KEY, 'content-type': 'application/json', 'Idempotency-Key': [...keys] };
    const request = http.request(`${edge.url}/v1/payments`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode, body: JSON.parse(text) as Record<string, unknown> });
      });
    });
    request.on('error', reject);
    request.end('{"amount":1}');
  });
}
