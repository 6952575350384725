import { once } from 'node:events';
import http from 'node:http';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { lazyObject } from './fields.ts';
import { createLargeAnswers, LARGE_ANSWER_BYTES } from './large-answers.ts';
import { defineRoute } from './testing/define-route.ts';
import { GOOD_KEY, TEST_OWNER, call, startTestEdge } from './testing/edge.ts';
import type { TestEdge } from './testing/edge.ts';

const turn = (): Promise<void> => new Promise(setImmediate);

describe('places of large answers', () => {
  test('an account has its share, others do not wait for it, and who gets none in time is refused', async () => {
    const time = new VirtualTime(0);
    const answers = createLargeAnswers(time.timers(() => true));
    onTestFinished(() => answers.close());
    const take = (accountId: string) => {
      const end = Promise.withResolvers<void>();
      const { signal } = new AbortController();
      return { end, taken: answers.take({ accountId, signal, waitMs: 1_000 }, end.promise) };
    };
    const held = Array.from({ length: 8 }, () => take('noisy'));
    expect(held.map(({ taken }) => taken)).toEqual(held.map(() => undefined));
    const [next, late] = [take('noisy'), take('noisy')];
    expect(take('quiet').taken).toBeUndefined();
    held[0]?.end.resolve();
    await next.taken;
    const [refused] = await Promise.all([Promise.allSettled([late.taken]), time.runUntil(1_000)]);
    expect(refused).toMatchObject([{ reason: { code: 'RATE_LIMIT_EXCEEDED' } }]);
  });
});

describe('turns of an account with large answers', () => {
  test('one page is read after the other, after a rest; another account does not wait', async () => {
    const time = new VirtualTime(0);
    const answers = createLargeAnswers(time.timers(() => true));
    onTestFinished(() => answers.close());
    const read: string[] = [];
    const inTurn = (
      accountId: string,
      name: string,
      partition: 'page' | 'part',
      result = Promise.resolve(name),
    ) =>
      answers.inTurn({ accountId, signal: new AbortController().signal, waitMs: 1_000 }, partition, () => {
        read.push(name);
        return result;
      });
    const failure = Promise.reject(new Error('no database'));
    const [first, second, other] = [
      inTurn('noisy', 'first', 'page', failure),
      inTurn('noisy', 'second', 'page'),
      inTurn('quiet', 'other', 'page'),
    ];
    await expect(first).rejects.toThrow('no database');
    expect(await other).toBe('other');
    expect(read).toEqual(['first', 'other']);
    await Promise.all([second, time.runUntil(1_000)]);
    expect(read).toEqual(['first', 'other', 'second']);
  });

  test('an account has large answers from the first until a second after the last', async () => {
    const time = new VirtualTime(0);
    const answers = createLargeAnswers(time.timers(() => true));
    onTestFinished(() => answers.close());
    const { signal } = new AbortController();
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    for (const { promise } of ends) await answers.take({ accountId: 'noisy', signal, waitMs: 1 }, promise);
    expect([answers.hasLarge('noisy'), answers.hasLarge('quiet')]).toEqual([true, false]);
    ends[0]?.resolve();
    await time.runUntil(2_000);
    expect(answers.hasLarge('noisy')).toBe(true);
    ends[1]?.resolve();
    await turn();
    expect(answers.hasLarge('noisy')).toBe(true);
    await time.runUntil(4_000);
    expect(answers.hasLarge('noisy')).toBe(false);
  });
});

const HALF = LazyJson.of({ text: 'x'.repeat(LARGE_ANSWER_BYTES / 2) });

/** A list whose page has two parts; the second part waits for `gate`. */
function listOf(gate: () => Promise<void>, name = 'items') {
  let reads = 0;
  const route = defineRoute(
    {
      operationId: name,
      method: 'get',
      path: `/v1/${name}`,
      tags: ['Items'],
      summary: 'List',
      auth: 'credential',
      page: { defaultTop: 100 },
      response: lazyObject,
      errors: [],
    },
    () => {
      reads += 1;
      const more = async function* () {
        await gate();
        yield [HALF];
        yield [];
        yield [HALF, LazyJson.of({ isLast: true })];
      };
      return Promise.resolve({ items: [HALF], totalCount: 7, more: more() });
    },
  );
  return { route, reads: () => reads };
}

let edge: TestEdge | undefined;
afterEach(() => edge?.close());

describe('a large answer', () => {
  test('of a list has the items of all parts', async () => {
    edge = await startTestEdge({ routes: [listOf(() => Promise.resolve()).route] });
    const { status, headers, body } = await call(edge, 'GET', '/v1/items?top=9', { headers: GOOD_KEY });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const half = HALF.parse();
    const items = [half, half, half, { isLast: true }];
    // Not compared with `expect`, which would print a megabyte.
    expect(body['text'] === JSON.stringify({ items, totalCount: 7, offset: 0, top: 9 })).toBe(true);
  });

  test('whose part is not what the route declares is cut off', async () => {
    const { route } = listOf(() => Promise.resolve());
    const wrong = {
      ...route,
      handle: () =>
        Promise.resolve({
          items: [],
          totalCount: 0,
          more: (async function* () {
            yield [await Promise.resolve('no object')];
          })(),
        }),
    };
    edge = await startTestEdge({ routes: [wrong] });
    await expect(call(edge, 'GET', '/v1/items', { headers: GOOD_KEY })).rejects.toThrow(
      /terminated|fetch failed/,
    );
  });

  test.each(['the client has it', 'the client is gone'])(
    'has its place until %s; a ninth of the account waits, holds nothing, and is read anew',
    async (end) => {
      const gate = Promise.withResolvers<void>();
      const { route, reads } = listOf(() => gate.promise);
      const { url } = (edge = await startTestEdge({ routes: [route] }));
      const first = Array.from({ length: 8 }, () => http.get(`${url}/v1/items`, { headers: GOOD_KEY }));
      for (const request of first) {
        request.on('error', () => undefined);
        const [response] = (await once(request, 'response')) as [http.IncomingMessage];
        response.on('error', () => undefined).resume();
      }
      expect(reads()).toBe(8);
      const ninth = call(edge, 'GET', '/v1/items', { headers: GOOD_KEY });
      await expect.poll(reads).toBe(9);
      await turn();
      if (end === 'the client is gone') first[0]?.destroy();
      else gate.resolve();
      await expect.poll(reads).toBe(10);
      gate.resolve();
      expect((await ninth).status).toBe(200);
    },
  );

  test('of any other GET has a place, too', async () => {
    const taken: string[] = [];
    const text = 'x'.repeat(LARGE_ANSWER_BYTES);
    const get = (name: string, answer: string) =>
      defineRoute(
        {
          operationId: name,
          method: 'get',
          path: `/v1/${name}`,
          tags: ['Items'],
          summary: 'Get',
          auth: 'credential',
          response: z.strictObject({ text: z.string() }),
          errors: [],
        },
        () => Promise.resolve({ text: answer }),
      );
    edge = await startTestEdge({
      routes: [get('large', text), get('small', 'x')],
      largeAnswers: {
        take: ({ accountId }) => void taken.push(accountId),
        hasLarge: () => false,
        inTurn: (_call, _partition, read) => read(),
      },
    });
    for (const name of ['large', 'small'])
      expect((await call(edge, 'GET', `/v1/${name}`, { headers: GOOD_KEY })).status).toBe(200);
    expect(taken).toEqual([TEST_OWNER.accountId]);
  });
});
