import { ApiError, notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { afterEach, expect, test } from 'vitest';
import { callHttp as call } from '@fairlead/service-kit/testing/http';
import { startHttpService } from '@fairlead/service-kit/testing/http';
import { connectStatusPage } from './connect-status.ts';
import { connectSession } from '../testing/builders.ts';
import { createTokenLimit } from './token-limit.ts';

const MINE = 'https://app.example';
const OTHER = 'https://other.example';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/**
 * The status page. Tokens that begin with `cst_` are known; `now.problem` is thrown for each of them, and `now.left` more requests of the
 * address are admitted.
 */
async function setUp() {
  const now: { problem?: ApiError; left: number } = { left: 10 };
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const edge = await startHttpService({
    pages: [
      connectStatusPage({
        useCases: {
          async readConnectSession(_ctx, token) {
            if (now.problem !== undefined) throw now.problem;
            if (!token.reveal().startsWith('cst_')) throw notFound('connect session');
            return connectSession({ allowedOrigins: [MINE] });
          },
          isOriginAllowed: (_ctx, origin) => Promise.resolve(origin === MINE),
        },
        addressOf: () => '192.0.2.1',
        limit: () => (now.left-- > 0 ? 0 : 1_500),
        tokens: createTokenLimit({ clock }),
        clock,
      }),
    ],
  });
  closing.push(() => edge.close());
  const ask = async (token: string, origin = MINE, method = 'GET') => {
    const authorization = { ...(method === 'GET' && { authorization: `Bearer ${token}` }) };
    const headers = { origin, ...authorization };
    const { status, headers: answered } = await call(edge, method, '/connect/status', { headers });
    return {
      status,
      origin: answered.get('access-control-allow-origin'),
      exposed: answered.get('access-control-expose-headers'),
      retryAfter: answered.get('retry-after'),
      credentials: answered.get('access-control-allow-credentials'),
    };
  };
  return { ask, now };
}

test('a session is for scripts of its own origins; what says nothing of one is for any, without credentials', async () => {
  const { ask, now } = await setUp();
  expect(await ask('cst_1')).toMatchObject({ status: 200, origin: MINE });
  expect(await ask('cst_1', OTHER)).toMatchObject({ status: 200, origin: null, exposed: null });
  const readable = { origin: '*', exposed: 'x-request-id, retry-after', credentials: null };
  for (const token of ['unknown', '']) expect(await ask(token)).toMatchObject({ status: 401, ...readable });
  now.problem = new ApiError('UNAVAILABLE', 'away', { retryAfterSeconds: 2 });
  expect(await ask('cst_1')).toMatchObject({ status: 503, ...readable });
});

test('a preflight is granted to an origin of a session only', async () => {
  const { ask } = await setUp();
  expect(await ask('', MINE, 'OPTIONS')).toMatchObject({ status: 204, origin: MINE });
  expect(await ask('', OTHER, 'OPTIONS')).toMatchObject({ status: 204, origin: null });
});

test('people who share an address do not use up each other’s requests; unknown tokens count against the address', async () => {
  const { ask, now } = await setUp();
  for (const token of ['cst_1', 'cst_2']) expect(await ask(token)).toMatchObject({ status: 200 });
  now.left = 0;
  const crowded = { status: 429, origin: '*', exposed: 'x-request-id, retry-after', retryAfter: '2' };
  expect(await ask('unknown')).toMatchObject(crowded);
  expect(await ask('cst_3')).toMatchObject(crowded);
  const mine = await Promise.all(Array.from({ length: 61 }, () => ask('cst_1')));
  expect(mine.filter(({ status }) => status === 429)).toMatchObject([{ origin: '*', retryAfter: '1' }]);
  expect(await ask('cst_2')).toMatchObject({ status: 200 });
  now.problem = notFound('connect session');
  // The token of an ended session is treated like any unknown token.
  expect(await ask('cst_2')).toMatchObject({ status: 401 });
  expect(await ask('cst_2')).toMatchObject({ status: 429 });
});
