import http from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from './testing/define-route.ts';
import { GOOD_KEY, TEST_OWNER, call, startTestEdge, unlimited } from './testing/edge.ts';

const common = {
  tags: ['Items'],
  summary: 'Wait',
  auth: 'credential',
  response: z.null(),
  errors: [],
} as const satisfies Partial<Parameters<typeof defineRoute>[0]>;

/** An edge whose calls of `/v1/wait` end when the test says so, with two accounts that may have two requests each. */
async function world() {
  const gate = Promise.withResolvers<null>();
  const started: AbortSignal[] = [];
  const wait = ({ ctx }: { readonly ctx: { readonly signal: AbortSignal } }): Promise<null> => {
    started.push(ctx.signal);
    const gone = Promise.withResolvers<never>();
    ctx.signal.addEventListener('abort', () => gone.reject(new ApiError('TIMEOUT', 'Gone.')));
    return Promise.race([gate.promise, gone.promise]);
  };
  const admitted: string[] = [];
  const limits = unlimited();
  const edge = await startTestEdge({
    routes: [
      defineRoute({ ...common, operationId: 'wait', method: 'get', path: '/v1/wait' }, wait),
      defineRoute(
        { ...common, operationId: 'post', method: 'post', path: '/v1/wait', body: z.object({}) },
        wait,
      ),
      defineRoute(
        { ...common, operationId: 'raise', method: 'patch', path: '/v1/budgets', budget: 'exempt' },
        () => Promise.resolve(null),
      ),
    ],
    authenticate: (headers) =>
      Promise.resolve({ ...TEST_OWNER, accountId: headers['x-account']?.toString() ?? TEST_OWNER.accountId }),
    limits: {
      ...limits,
      admit(account, kind) {
        admitted.push(account.accountId);
        return limits.admit(account, kind);
      },
    },
    inProgress: { requests: 2, bodyBytes: 100 },
  });
  const end = (): void => gate.resolve(null);
  onTestFinished(async () => {
    end();
    await edge.close();
  });
  return { edge, started, admitted, end };
}

const refusedNow = { status: 429, body: { errorCode: 'RATE_LIMIT_EXCEEDED' } };
const postOf = (bytes: number) => ({ json: { a: 'x'.repeat(bytes - '{"a":""}'.length) } });

test('above the bound a request is 429 with Retry-After 1, is not run and consumes no budget; other accounts pass', async () => {
  const { edge, started, admitted, end } = await world();
  const held = [call(edge, 'GET', '/v1/wait'), call(edge, 'GET', '/v1/wait')];
  await expect.poll(() => started.length).toBe(2);
  const refused = await call(edge, 'GET', '/v1/wait');
  expect(refused).toMatchObject(refusedNow);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.has('ratelimit')).toBe(true);
  expect([started.length, admitted.length, edge.counted.length]).toEqual([2, 2, 2]);

  const other = call(edge, 'GET', '/v1/wait', { headers: { 'x-account': 'other' } });
  await expect.poll(() => started.length).toBe(3);
  end();
  expect((await Promise.all([...held, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await call(edge, 'GET', '/v1/wait')).status).toBe(200);
});

test('budgets can be raised whatever else is in progress', async () => {
  const { edge, started } = await world();
  for (let index = 0; index < 2; index += 1) void call(edge, 'GET', '/v1/wait');
  await expect.poll(() => started.length).toBe(2);
  expect((await call(edge, 'PATCH', '/v1/budgets')).status).toBe(200);
});

test('the bodies in progress have a bound together; a request without one still passes', async () => {
  const { edge, started } = await world();
  void call(edge, 'POST', '/v1/wait', postOf(60));
  await expect.poll(() => started.length).toBe(1);
  expect(await call(edge, 'POST', '/v1/wait', postOf(41))).toMatchObject(refusedNow);
  void call(edge, 'POST', '/v1/wait', postOf(40));
  await expect.poll(() => started.length).toBe(2);
});

/** Sends a POST and disconnects once its work has begun. */
async function disconnect(
  { edge, started }: Awaited<ReturnType<typeof world>>,
  headers: Record<string, string>,
): Promise<void> {
  const before = started.length;
  const request = http.request(`${edge.url}/v1/wait`, {
    method: 'POST',
    headers: { ...GOOD_KEY, 'content-type': 'application/json', ...headers },
  });
  const closed = new Promise((resolve) => request.on('error', () => undefined).on('close', resolve));
  request.end('{}');
  await expect.poll(() => started.length).toBe(before + 1);
  request.destroy();
  await closed;
}

test('a client that disconnects ends its request, unless a key asks for its result: then it counts until that is known', async () => {
  const it = await world();
  await disconnect(it, {});
  await disconnect(it, {});
  await expect.poll(() => it.started.every(({ aborted }) => aborted)).toBe(true);
  await disconnect(it, { 'idempotency-key': 'a' });
  await disconnect(it, { 'idempotency-key': 'b' });
  expect(await call(it.edge, 'GET', '/v1/wait')).toMatchObject(refusedNow);
  it.end();
  await expect.poll(async () => (await call(it.edge, 'GET', '/v1/wait')).status).toBe(200);
});
