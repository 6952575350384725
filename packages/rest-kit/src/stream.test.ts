import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, describe, expect, test } from 'vitest';
import { defineRoute } from './testing/define-route.ts';
import { OPERATOR_KEY, call, startTestEdge } from './testing/edge.ts';
import type { TestEdge } from './testing/edge.ts';
import { jsonObject } from './fields.ts';

let edge: TestEdge;
afterEach(() => edge.close());

/** A route that streams `pieces`. */
function streaming(pieces: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>, name = 'export') {
  return defineRoute(
    {
      operationId: name,
      method: 'get',
      path: `/operator/v1/${name}`,
      tags: ['Items'],
      summary: 'Export',
      auth: 'operator',
      audit: 'before',
      streams: true,
      response: jsonObject,
      errors: ['NOT_FOUND'],
    },
    ({ ctx }) => {
      // Sending continues long after the deadline, which must not end it.
      expect(ctx.deadline).toBeUndefined();
      return Promise.resolve(pieces(ctx.signal));
    },
  );
}

const get = (method = 'GET') => call(edge, method, '/operator/v1/export', { headers: OPERATOR_KEY });
const outcomes = () => edge.audited.filter(({ action }) => action === 'export').map(({ outcome }) => outcome);

describe('an answer that streams', () => {
  test('is sent as it comes, long after the deadline of its first byte', async () => {
    const firstSent = Promise.withResolvers<void>();
    const deadlineOver = Promise.withResolvers<void>();
    const route = streaming(async function* () {
      yield '{"a":';
      firstSent.resolve();
      await deadlineOver.promise;
      yield new TextEncoder().encode('1}');
    });
    const late = streaming(async function* (signal) {
      await delay(60_000, undefined, { signal }).catch(() => {});
      yield 'x';
    }, 'late');
    edge = await startTestEdge({ routes: [route, late], dataTimeoutMs: 2_000 });
    const answer = get();
    await firstSent.promise;
    // The second request starts later and has the same time limit.
    expect((await call(edge, 'GET', '/operator/v1/late', { headers: OPERATOR_KEY })).status).toBe(504);
    deadlineOver.resolve();
    const { status, headers, body } = await answer;
    expect([status, headers.get('content-type'), body['text']]).toEqual([
      200,
      'application/json; charset=utf-8',
      '{"a":1}',
    ]);
    expect(outcomes()).toEqual(['attempted', 'succeeded']);
  });

  test('that fails before its first byte is refused like any other', async () => {
    const route = streaming(async function* () {
      yield await Promise.reject<string>(new ApiError('NOT_FOUND', 'No such account.'));
    });
    edge = await startTestEdge({ routes: [route] });
    const { status, body } = await get();
    expect([status, body['errorCode']]).toEqual([404, 'NOT_FOUND']);
    expect(outcomes()).toEqual(['attempted', 'failed']);
  });

  test('whose first byte is late is TIMEOUT, and its source is cancelled', async () => {
    const ended = Promise.withResolvers<void>();
    const route = streaming(async function* (signal) {
      try {
        await delay(60_000, undefined, { signal }).catch(() => {});
        yield 'x';
      } finally {
        ended.resolve();
      }
    });
    edge = await startTestEdge({ routes: [route], dataTimeoutMs: 50 });
    const { status, body } = await get();
    expect([status, body['errorCode']]).toEqual([504, 'TIMEOUT']);
    await ended.promise;
  });

  test('that fails later is cut off, so that a client cannot take the part for the whole, and logged', async () => {
    const route = streaming(async function* () {
      yield '{"a":';
      yield await Promise.reject<string>(new Error('broken'));
    });
    edge = await startTestEdge({ routes: [route] });
    await expect(get()).rejects.toThrow(/terminated|fetch failed/);
    await expect
      .poll(() => edge.lines.find(({ msg }) => msg === 'request'))
      .toMatchObject({ status: 500, route: '/operator/v1/export' });
    expect(edge.lines).toContainEqual(expect.objectContaining({ msg: 'request failed', level: 'error' }));
    expect(outcomes()).toEqual(['attempted', 'failed']);
  });

  test('is made no faster than its client reads, and ends when the client goes away', async () => {
    const piece = 'x'.repeat(64 * 1024);
    const ended = Promise.withResolvers<void>();
    let made = 0;
    const route = streaming(async function* () {
      try {
        for (;;) {
          made += 1;
          yield piece;
        }
      } finally {
        ended.resolve();
      }
    });
    edge = await startTestEdge({ routes: [route], dataTimeoutMs: 30_000 });
    const socket = await openSocket();
    await expect.poll(() => made).toBeGreaterThan(1);
    const held = await standstill(() => made);
    // The bytes in both ends' socket buffers, far less than could be produced in that time.
    expect(held).toBeLessThan(500);
    socket.destroy();
    await ended.promise;
    await expect.poll(() => edge.lines.at(-1)).toMatchObject({ msg: 'request', status: 499 });
    expect(outcomes()).toEqual(['attempted', 'failed']);
  });

  test('whose client reads nothing for too long is cut off', async () => {
    const ended = Promise.withResolvers<void>();
    const route = streaming(async function* () {
      try {
        for (;;) yield 'x'.repeat(64 * 1024);
      } finally {
        ended.resolve();
      }
    });
    edge = await startTestEdge({ routes: [route], dataTimeoutMs: 700 });
    const socket = await openSocket();
    await ended.promise;
    await expect.poll(() => edge.lines.at(-1)).toMatchObject({ msg: 'request', status: 504 });
    socket.destroy();
  });

  test('has no body for HEAD', async () => {
    let made = 0;
    const route = streaming(async function* () {
      for (;;) {
        made += 1;
        yield 'x';
      }
    });
    edge = await startTestEdge({ routes: [route] });
    const { status, body } = await get('HEAD');
    expect([status, body['text'], made]).toEqual([200, '', 1]);
  });

  test('can only be declared of a GET', () => {
    const declare = () =>
      defineRoute(
        {
          operationId: 'wrong',
          method: 'post',
          path: '/v1/wrong',
          tags: ['Items'],
          summary: 'Wrong',
          auth: 'operator',
          streams: true,
          response: jsonObject,
          errors: [],
        },
        () => Promise.reject(new Error('never called')),
      );
    expect(declare).toThrow('wrong streams but is not a GET.');
  });
});

/** A client that sends its request and then reads nothing. */
async function openSocket(): Promise<net.Socket> {
  const { hostname, port } = new URL(edge.url);
  const socket = net.connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  socket.write('GET /operator/v1/export HTTP/1.1\r\nhost: test\r\nx-api-key: operator\r\n\r\n');
  return socket;
}

/** The value of `read` once it stops changing. */
async function standstill(read: () => number): Promise<number> {
  let last = -1;
  await expect
    .poll(
      () => {
        const isStill = read() === last;
        last = read();
        return isStill;
      },
      { interval: 100 },
    )
    .toBe(true);
  return last;
}
