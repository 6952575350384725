import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from './testing/define-route.ts';
import { call, startEdge } from './testing/edge.ts';

/** A route whose handler never answers, whatever happens to its signal. */
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
    { callsApplication: false, timeoutMs: 60_000, dataTimeoutMs: 50 },
    { callsApplication: true, timeoutMs: 50, dataTimeoutMs: 60_000 },
  ])('holds even where its handler does not notice: %j', async ({ callsApplication, ...times }) => {
    const aborted = Promise.withResolvers<void>();
    const edge = await startEdge({ routes: [stuckRoute(callsApplication, aborted.resolve)], ...times });
    const answer = await call(edge, 'GET', '/v1/stuck');
    expect([answer.status, answer.body['errorCode']]).toEqual([504, 'TIMEOUT']);
    expect(answer.body['requestId']).toBe(answer.headers.get('x-request-id'));
    await aborted.promise;
    await edge.close();
  });

  test('does not let a lookup of the credential take as long as an application may', async () => {
    const edge = await startEdge({
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
