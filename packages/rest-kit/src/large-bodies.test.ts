import { once } from 'node:events';
import http from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from './testing/define-route.ts';
import { GOOD_KEY, TEST_OWNER, call, startTestEdge } from './testing/edge.ts';
import { createLargeBodies } from './large-bodies.ts';

const LARGE = { name: 'a', text: 'x'.repeat(300 * 1024) };
const SMALL = { name: 'a', text: 'x' };

describe('places of large bodies', () => {
  const refused = { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 };

  function world() {
    const time = new VirtualTime(0);
    const bodies = createLargeBodies(
      time.timers(() => true),
      () => time.nowMs,
    );
    onTestFinished(() => bodies.close());
    const take = (accountId: string) => {
      const signal = new AbortController().signal;
      const place = bodies.placeFor({ accountId, signal, waitMs: 1000 });
      let isIn = false;
      const admitted = place.admit().then(() => void (isIn = true));
      admitted.catch(() => undefined);
      return { ...place, admitted, isIn: () => isIn };
    };
    const turn = () => new Promise(setImmediate);
    return { time, take, turn };
  }

  test('an account has its share; a place that is released goes to the next of its calls', async () => {
    const { take, turn } = world();
    const noisy = Array.from({ length: 10 }, () => take('noisy'));
    const quiet = take('quiet');
    await turn();
    expect(noisy.filter(({ isIn }) => isIn())).toEqual(noisy.slice(0, 8));
    expect(quiet.isIn()).toBe(true);
    noisy[0]?.release();
    await turn();
    expect(noisy.filter(({ isIn }) => isIn())).toEqual(noisy.slice(0, 9));
  });

  test('all accounts together have a bound, and then their turns', async () => {
    const { take, turn } = world();
    const held = Array.from({ length: 32 }, (_, index) => take(`acc_${index % 4}`));
    await turn();
    expect(held.every(({ isIn }) => isIn())).toBe(true);
    const waiting = ['acc_a', 'acc_a', 'acc_b'].map(take);
    await turn();
    expect(waiting.map(({ isIn }) => isIn())).toEqual([false, false, false]);
    held[0]?.release();
    held[1]?.release();
    await turn();
    expect(waiting.map(({ isIn }) => isIn())).toEqual([true, false, true]);
  });

  test('who gets no place in time is refused, and so are calls beyond those that may wait', async () => {
    const { time, take, turn } = world();
    for (let held = 0; held < 8; held += 1) take('acc');
    const late = take('acc');
    for (let waiting = 1; waiting < 100; waiting += 1) take('acc');
    await expect(take('acc').admitted).rejects.toMatchObject(refused);
    await time.runUntil(1000);
    await expect(late.admitted).rejects.toMatchObject(refused);
    await turn();
  });

  test('waits for the share of the account and for a place among all end together', async () => {
    const { time, take, turn } = world();
    const held = Array.from({ length: 32 }, (_, index) => take(`acc_${index % 4}`));
    const late = take('acc_0');
    let refusal: unknown;
    late.admitted.catch((error: unknown) => (refusal = error));
    await time.runUntil(600);
    const next = take('acc_4');
    held[0]?.release();
    await turn();
    expect(next.isIn()).toBe(true);
    await time.runUntil(1000);
    expect(refusal).toMatchObject(refused);
  });

  test('a call that gave up before it had a place keeps none', async () => {
    const { take, turn } = world();
    const held = Array.from({ length: 8 }, () => take('acc'));
    const gone = take('acc');
    gone.release();
    const next = take('acc');
    held[0]?.release();
    await turn();
    expect(next.isIn()).toBe(true);
  });
});

/** A route whose calls end when the test releases them. */
function holdingRoute() {
  const open: (() => void)[] = [];
  const entered: string[] = [];
  const route = defineRoute(
    {
      operationId: 'hold',
      method: 'post',
      path: '/v1/hold',
      tags: ['Items'],
      summary: 'Hold',
      auth: 'credential',
      body: z.object({ name: z.string(), text: z.string() }),
      response: z.null(),
      errors: [],
    },
    async ({ principal, body }) => {
      entered.push(`${principal.accountId}/${body.name}`);
      await new Promise<void>((resolve) => open.push(resolve));
      return null;
    },
  );
  const releaseAll = (): void => open.splice(0).forEach((release) => release());
  return { route, entered, releaseAll };
}

async function startHolding(dataTimeoutMs: number) {
  const holding = holdingRoute();
  const edge = await startTestEdge({
    routes: [holding.route],
    dataTimeoutMs,
    authenticate: ({ 'x-api-key': key }) =>
      typeof key === 'string'
        ? Promise.resolve({ ...TEST_OWNER, accountId: key })
        : Promise.reject(new ApiError('UNAUTHORIZED', 'No key.')),
  });
  onTestFinished(async () => {
    holding.releaseAll();
    await edge.close();
  });
  const send = (account: string, json: object) =>
    call(edge, 'POST', '/v1/hold', { json, headers: { 'x-api-key': account } });
  return { ...holding, edge, send };
}

describe('a call with a large body', () => {
  test('waits for a place and is then refused with 429, with nothing executed; others are served', async () => {
    const { edge, entered, releaseAll, send } = await startHolding(8_000);
    const held = Array.from({ length: 8 }, () => send('noisy', LARGE));
    await expect.poll(() => entered.length).toBe(8);
    const refused = await send('noisy', { ...LARGE, name: 'late' });
    expect([refused.status, refused.body['errorCode'], refused.headers.get('retry-after')]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      '1',
    ]);
    const others = [send('noisy', SMALL), send('quiet', LARGE)];
    await expect.poll(() => entered.slice(8).toSorted()).toEqual(['noisy/a', 'quiet/a']);
    releaseAll();
    // On a slow machine, the first eight are past their deadline.
    await Promise.all([...held, ...others]);
    expect(entered).not.toContain('noisy/late');
    const again = send('noisy', { ...LARGE, name: 'again' });
    await expect.poll(() => entered.at(-1)).toBe('noisy/again');
    releaseAll();
    expect((await again).status).toBe(200);
    const failed = edge.lines.filter(({ level, errorCode }) => level === 'error' && errorCode !== 'TIMEOUT');
    expect(failed).toEqual([]);
  });

  test('whose length is not declared needs a place once it is large', async () => {
    const { edge, entered, releaseAll, send } = await startHolding(60_000);
    const held = Array.from({ length: 8 }, () => send('acc', LARGE));
    await expect.poll(() => entered.length).toBe(8);
    const chunked = (body: object): http.ClientRequest =>
      http
        .request(`${edge.url}/v1/hold`, {
          method: 'POST',
          headers: { 'x-api-key': 'acc', 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
        })
        .end(JSON.stringify(body));
    const large = chunked({ ...LARGE, name: 'large' });
    const small = chunked({ ...SMALL, name: 'small' });
    await expect.poll(() => entered.at(-1)).toBe('acc/small');
    expect(entered).not.toContain('acc/large');
    releaseAll();
    await Promise.all([...held, once(small, 'response')]);
    await expect.poll(() => entered.at(-1)).toBe('acc/large');
    releaseAll();
    expect(await once(large, 'response')).toMatchObject([{ statusCode: 200 }]);
  });

  test('that drips in ends with its deadline and keeps no place', async () => {
    const { edge, entered, releaseAll, send } = await startHolding(3_000);
    const dripping = Array.from({ length: 8 }, () => {
      const request = http.request(`${edge.url}/v1/hold`, {
        method: 'POST',
        headers: { 'x-api-key': 'acc', 'content-type': 'application/json', 'content-length': 300 * 1024 },
      });
      request.on('error', () => undefined).write('{');
      onTestFinished(() => void request.destroy());
      return once(request, 'response');
    });
    for (const [response] of (await Promise.all(dripping)) as [http.IncomingMessage][])
      expect(response.statusCode).toBe(504);
    const next = send('acc', LARGE);
    await expect.poll(() => entered).toEqual(['acc/a']);
    releaseAll();
    await next;
  });

  test('is not read before its caller is known', async () => {
    const { edge } = await startHolding(60_000);
    const request = http.request(`${edge.url}/v1/hold`, {
      method: 'POST',
      headers: { ...GOOD_KEY, 'x-api-key': [], 'content-length': 5 * 1024 * 1024 },
    });
    request.on('error', () => undefined).flushHeaders();
    expect(await once(request, 'response')).toMatchObject([{ statusCode: 401 }]);
    request.destroy();
  });
});
