import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from './testing/define-route.ts';
import { call, startTestEdge } from './testing/edge.ts';

/** A route whose handler never returns, even if its signal aborts. */
function stuckRoute(callsApplication: boolean, aborted: () => void) {
  return defineRoute(
    {
      operationId: 'stuck',
      method: 'get',
      path: '/v1/stuck',
      tags: ['Items'],
      summary: 'Stuck',
      auth: 'credential',
      callsApplication,
      query: z.object({ many: z.string().optional() }),
      longWith: 'many',
      response: z.null(),
      errors: [],
    },
    ({ ctx }) => {
      ctx.signal.addEventListener('abort', aborted);
      return new Promise<null>(() => {});
    },
  );
}

describe('the deadline of a request', () => {
  test.each([
    {
      query: '?many=x',
      callsApplication: false,
      timeoutMs: 60_000,
      longTimeoutMs: 60_000,
      dataTimeoutMs: 50,
    },
    { query: '', callsApplication: true, timeoutMs: 50, longTimeoutMs: 60_000, dataTimeoutMs: 60_000 },
    { query: '?many=x', callsApplication: true, timeoutMs: 60_000, longTimeoutMs: 50, dataTimeoutMs: 60_000 },
  ])('holds even where its handler does not notice: %j', async ({ callsApplication, query, ...times }) => {
    const aborted = Promise.withResolvers<void>();
    const edge = await startTestEdge({ routes: [stuckRoute(callsApplication, aborted.resolve)], ...times });
    const answer = await call(edge, 'GET', `/v1/stuck${query}`);
    expect([answer.status, answer.body['errorCode']]).toEqual([504, 'TIMEOUT']);
    expect(answer.body['requestId']).toBe(answer.headers.get('x-request-id'));
    await aborted.promise;
    await edge.close();
  });

  test('does not let a lookup of the credential take as long as an application may', async () => {
    const edge = await startTestEdge({
      routes: [stuckRoute(true, () => undefined)],
      authenticate: () => new Promise(() => {}),
      timeoutMs: 60_000,
      dataTimeoutMs: 50,
    });
    const answer = await call(edge, 'GET', '/v1/stuck');
    expect([answer.status, answer.body['errorCode']]).toEqual([504, 'TIMEOUT']);
    await edge.close();
  });
});
