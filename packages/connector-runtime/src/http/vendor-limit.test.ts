import { expect, it } from 'vitest';
import type { RateLimitHeaders } from '@fairlead/connector-model/model';
import type { ToolOutcome } from '../call.ts';
import { testCall, testConnector, testEgress, testOptions, testRequest, testTool } from '../testing/calls.ts';
import { startTestServer } from '../testing/http-server.ts';
import { httpExecution, testRuntime, testVendor } from '../testing/vendor.ts';
import { createConnectorRuntime } from '../runtime.ts';
import { limitedForMs } from './vendor-limit.ts';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const named = (resetUnit: RateLimitHeaders['resetUnit']): RateLimitHeaders => ({
  remainingHeader: 'X-RateLimit-Remaining',
  resetHeader: 'X-RateLimit-Reset',
  resetUnit,
});
const used = (reset: string): Record<string, string> => ({
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': reset,
});

it.each<[string, number, Record<string, string>, RateLimitHeaders | null, number | undefined]>([
  ['a 429 with seconds', 429, { 'retry-after': '30' }, null, 30_000],
  ['a 429 with a date', 429, { 'retry-after': 'Sun, 22 Nov 2026 12:00:10 GMT' }, null, 10_000],
  ['a 429 that says nothing', 429, {}, null, 1_000],
  ['a 429 with nonsense', 429, { 'retry-after': 'soon' }, null, 1_000],
  ['a 429 that may be repeated at once', 429, { 'retry-after': '0' }, null, undefined],
  [
    'a 429 with a date that is over',
    429,
    { 'retry-after': 'Sun, 22 Nov 2026 11:00:00 GMT' },
    null,
    undefined,
  ],
  ['a 429 with a reset', 429, used('1795348820'), named('epochSeconds'), 20_000],
  [
    'Retry-After before the reset',
    429,
    { ...used('1795348820'), 'retry-after': '5' },
    named('epochSeconds'),
    5_000,
  ],
  ['the last call of a period', 200, used('1795348820'), named('epochSeconds'), 20_000],
  ['the same in milliseconds', 200, used('1795348820000'), named('epochMilliseconds'), 20_000],
  ['the same as a date', 200, used('2026-11-22T12:00:20Z'), named('date'), 20_000],
  ['the time that is left', 200, used('20'), named('seconds'), 20_000],
  ['the time that is left, in milliseconds', 200, used('20.5'), named('milliseconds'), 20.5],
  ['calls that are left', 200, { ...used('20'), 'x-ratelimit-remaining': '10' }, named('seconds'), undefined],
  ['no reset', 200, { 'x-ratelimit-remaining': '0' }, named('seconds'), undefined],
  ['a reset that is nonsense', 200, used('-1e9'), named('seconds'), undefined],
  ['headers that the connector does not name', 200, used('20'), null, undefined],
  ['an outage', 503, { 'retry-after': '30' }, null, undefined],
])('%s', (_name, status, headers, rateLimit, expected) => {
  expect(limitedForMs({ status, headers }, rateLimit, NOW)).toBe(expected);
});

it.each([
  [
    'a 200 with an error',
    200,
    { errors: [{ extensions: { code: 'THROTTLED' } }] },
    '/errors/0/extensions/code',
  ],
  ['a 403', 403, [{ errorCode: 'THROTTLED' }], '/0/errorCode'],
])('%s whose code the connector names has the effect of a 429', async (_name, status, body, pointer) => {
  const { server, connector } = await testVendor((_request, count) =>
    count % 2 === 1 ? { status, body } : { body: { about: 'THROTTLED' } },
  );
  const limits: number[] = [];
  const execute = (retryClass: 'readOnly' | 'unsafe'): Promise<ToolOutcome> =>
    testRuntime().execute(
      testCall(testTool(httpExecution(), { retryClass }), {
        connector: { ...connector, throttle: { pointer, values: ['THROTTLED', 1] } },
      }),
      testOptions({ onLimited: (forMs) => limits.push(forMs) }),
    );
  expect(await execute('readOnly')).toMatchObject({ isSuccess: true, attempts: 2 });
  expect(await execute('unsafe')).toMatchObject({ attempts: 1 });
  expect([limits, server.requests.length]).toEqual([[1_000, 1_000], 3]);
});

it('a read that is refused waits and is made again; a call that may have effects is not, and both tell the limit', async () => {
  const server = await startTestServer((_request, count) =>
    count % 2 === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { body: { ok: true } },
  );
  const egress = testEgress();
  const runtime = createConnectorRuntime({
    egress,
    handlers: () => Promise.reject(new Error('no handlers')),
  });
  const limits: number[] = [];
  const execute = (retryClass: 'readOnly' | 'unsafe') =>
    runtime.execute(
      testCall(
        testTool(
          { type: 'http', request: testRequest(server.url), response: { type: 'object', pointer: '' } },
          { retryClass },
        ),
        { connector: testConnector() },
      ),
      testOptions({ onLimited: (forMs) => limits.push(forMs) }),
    );
  expect(await execute('readOnly')).toEqual({ isSuccess: true, output: { ok: true }, attempts: 2 });
  expect(await execute('unsafe')).toMatchObject({ isSuccess: false, attempts: 1 });
  expect([limits, server.requests.length]).toEqual([[1_000, 1_000], 3]);
  await Promise.all([server.close(), egress.close()]);
});
