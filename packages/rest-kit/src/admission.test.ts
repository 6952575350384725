import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { InactiveUserError } from './authenticate.ts';
import type { CallLimits, Verdict } from './call-limits.ts';
import { defineRoute } from './testing/define-route.ts';
import { OPERATOR_KEY, TEST_OWNER, TEST_PUBLIC_URL, call, startTestEdge, unlimited } from './testing/edge.ts';
import { itemRoutes } from './testing/item-routes.ts';
import { searchText } from './fields.ts';

const NO_KEY = { 'x-api-key': '' };
const METADATA = `Bearer realm="Fairlead", resource_metadata="${TEST_PUBLIC_URL}/.well-known/oauth-protected-resource"`;

const operate = defineRoute(
  {
    operationId: 'operate',
    method: 'post',
    path: '/operator/v1/things',
    tags: ['Items'],
    summary: 'Operate',
    auth: 'operator',
    response: z.string(),
    errors: [],
  },
  ({ principal, ctx }) => Promise.resolve(`${String(principal)} ${ctx.caller.kind}`),
);

const find = defineRoute(
  {
    operationId: 'find',
    method: 'get',
    path: '/v1/found',
    tags: ['Items'],
    summary: 'Find',
    auth: 'credential',
    budget: 'search',
    query: z.object({ search: searchText }),
    response: z.null(),
    errors: [],
  },
  () => Promise.resolve(null),
);

const raiseDeclaration = {
  operationId: 'raise',
  method: 'patch',
  path: '/v1/budgets',
  tags: ['Items'],
  summary: 'Raise',
  auth: 'credential',
  budget: 'exempt',
  response: z.null(),
  errors: [],
} as const;
const raise = defineRoute(raiseDeclaration, () => Promise.resolve(null));

const verdict: Verdict = { isAllowed: true, retryAfterSeconds: 0, rateLimit: 'left', policy: 'policy' };

/** CallLimits that record the calls that they were asked about. */
function watched(admit: CallLimits['admit'] = () => verdict): CallLimits & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    ...unlimited(),
    asked,
    admit(account, kind) {
      asked.push(`${account.accountId} ${account.budgets.burstPerSecond} ${kind}`);
      return admit(account, kind);
    },
    peek: () => ({ ...verdict, rateLimit: 'peeked' }),
  };
}

describe('the challenge of a 401', () => {
  test.each([
    [NO_KEY, METADATA],
    [{ 'x-api-key': 'wrong' }, METADATA],
    [{ ...NO_KEY, authorization: 'Basic eDp5' }, METADATA],
    [{ ...NO_KEY, authorization: 'Bearer abc' }, `${METADATA}, error="invalid_token"`],
    [{ ...NO_KEY, authorization: 'bearer abc' }, `${METADATA}, error="invalid_token"`],
  ])(
    'of %j says where to get a token, and that a bearer is invalid if there was one',
    async (headers, challenge) => {
      const edge = await startTestEdge({ routes: itemRoutes });
      const answer = await call(edge, 'GET', '/v1/items', { headers });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, challenge]);
      await edge.close();
    },
  );

  test('a challenge names the scope that a bearer lacks; a bearer that lacks only the role gets none', async () => {
    const bearer = { ...TEST_OWNER, credentialType: 'bearer', permissions: [] } as const;
    for (const [scopes, expected] of [
      [[], `${METADATA}, error="insufficient_scope", scope="connections.write"`],
      [['connections.write'], null],
    ] as const) {
      const edge = await startTestEdge({ routes: itemRoutes, principal: { ...bearer, scopes } });
      const answer = await call(edge, 'POST', '/v1/items', { json: { name: 'a' } });
      expect([answer.status, answer.body['errorCode'], answer.headers.get('www-authenticate')]).toEqual([
        403,
        'FORBIDDEN',
        expected,
      ]);
      await edge.close();
    }
  });
});

describe('the operator', () => {
  test('calls operator routes without an account, budgets or headers of theirs', async () => {
    const limits = watched();
    const edge = await startTestEdge({ routes: [operate], limits });
    const answer = await call(edge, 'POST', '/operator/v1/things', { headers: OPERATOR_KEY });
    expect([answer.status, answer.headers.get('ratelimit'), limits.asked]).toEqual([200, null, []]);
    expect(answer.body['text']).toBe('"undefined service"');
    await edge.close();
  });

  test('other callers cannot, and the operator calls no other route', async () => {
    const edge = await startTestEdge({ routes: [operate, ...itemRoutes] });
    for (const [method, path, headers] of [
      ['POST', '/operator/v1/things', {}],
      ['POST', '/operator/v1/things', NO_KEY],
      // Only permitted callers may learn the methods of a path.
      ['DELETE', '/operator/v1/things', {}],
      ['GET', '/v1/items', OPERATOR_KEY],
    ] as const) {
      const answer = await call(edge, method, path, { headers });
      expect([answer.status, answer.body['errorCode']]).toEqual([401, 'UNAUTHORIZED']);
    }
    expect((await call(edge, 'DELETE', '/operator/v1/things', { headers: OPERATOR_KEY })).status).toBe(405);
    await edge.close();
  });
});

describe('budgets', () => {
  test('are asked after the credential and before anything else, and every answer from there on tells of them', async () => {
    const limits = watched();
    const edge = await startTestEdge({ routes: itemRoutes, limits });
    const answers = [
      await call(edge, 'GET', '/v1/items', { headers: NO_KEY }),
      await call(edge, 'GET', '/v1/nothing'),
      await call(edge, 'GET', '/v1/open'),
      await call(edge, 'GET', '/v1/items'),
      await call(edge, 'PATCH', '/v1/items'),
      await call(edge, 'GET', '/v1/items/abc'),
      await call(edge, 'POST', '/v1/items', { body: 'x' }),
      await call(edge, 'DELETE', '/v1/items/1'),
    ];
    expect(answers.map(({ status, headers }) => [status, headers.get('ratelimit')])).toEqual([
      [401, null],
      [404, null],
      [200, null],
      [200, 'left'],
      [405, 'left'],
      [404, 'left'],
      [415, 'left'],
      [204, 'left'],
    ]);
    expect(answers.at(-1)?.headers.get('ratelimit-policy')).toBe('policy');
    expect(limits.asked).toEqual(Array.from({ length: 5 }, () => 'acc_test 50 call'));
    expect(edge.counted).toEqual(Array.from({ length: 5 }, () => 'acc_test'));
    await edge.close();
  });

  test.each([
    ['', 'call'],
    ['?search=', 'call'],
    ['?search=%20', 'call'],
    ['?search=bill', 'search'],
    ['?search=&search=bill', 'search'],
  ])('a route with a search, called as %j, is a %s', async (query, kind) => {
    const limits = watched();
    const edge = await startTestEdge({ routes: [find], limits });
    await call(edge, 'GET', `/v1/found${query}`);
    expect(limits.asked).toEqual([`acc_test 50 ${kind}`]);
    await edge.close();
  });

  test.each([
    ['at once', (refused: Verdict) => refused],
    ['later', (refused: Verdict) => Promise.resolve(refused)],
  ])('a call that is refused %s is 429, runs nothing and is no call', async (_when, answer) => {
    const limits = watched(() => answer({ ...verdict, isAllowed: false, retryAfterSeconds: 3600 }));
    const edge = await startTestEdge({ routes: itemRoutes, limits });
    // Method and body are checked later, so they make no difference.
    for (const method of ['PATCH', 'POST']) {
      const { status, headers, body } = await call(edge, method, '/v1/items', { body: 'x' });
      expect([status, body['errorCode'], headers.get('retry-after'), headers.get('ratelimit')]).toEqual([
        429,
        'RATE_LIMIT_EXCEEDED',
        '3600',
        'left',
      ]);
    }
    expect(edge.counted).toEqual([]);
    await edge.close();
  });

  test('an exempt route counts as that, and its refusal says so', async () => {
    const limits = watched();
    const edge = await startTestEdge({ routes: [raise], limits });
    expect((await call(edge, 'PATCH', '/v1/budgets')).status).toBe(200);
    expect(limits.asked).toEqual(['acc_test 50 exempt']);
    await edge.close();
    const refused = { ...verdict, isAllowed: false, retryAfterSeconds: 1 };
    const full = await startTestEdge({ routes: [raise], limits: watched(() => refused) });
    const { status, headers, body } = await call(full, 'PATCH', '/v1/budgets');
    expect([status, headers.get('retry-after'), headers.get('ratelimit')]).toEqual([429, '1', 'left']);
    expect(body['message']).toContain('count apart from its budgets');
    await full.close();
  });

  test('who lacks its permission is refused by an exempt route, and uses nothing of it up', async () => {
    const administered = defineRoute({ ...raiseDeclaration, permission: 'administration' }, () =>
      Promise.resolve(null),
    );
    for (const principal of [
      { ...TEST_OWNER, isAdministrationGranted: false },
      { ...TEST_OWNER, toolsetId: 'toolset' },
    ]) {
      const limits = watched();
      const edge = await startTestEdge({ routes: [administered], limits, principal });
      const { status, headers } = await call(edge, 'PATCH', '/v1/budgets');
      expect([status, headers.get('ratelimit'), limits.asked]).toEqual([403, 'peeked', []]);
      await edge.close();
    }
  });

  test.each([
    [
      'at once',
      () => {
        throw new ApiError('UNAVAILABLE', 'Away.');
      },
    ],
    ['later', () => Promise.reject(new ApiError('UNAVAILABLE', 'Away.'))],
  ])('where nothing can be counted, told %s, the call is 503 and not run', async (_when, admit) => {
    const edge = await startTestEdge({ routes: itemRoutes, limits: watched(admit) });
    const answer = await call(edge, 'GET', '/v1/items');
    expect([answer.status, answer.body['errorCode'], answer.headers.get('ratelimit')]).toEqual([
      503,
      'UNAVAILABLE',
      'peeked',
    ]);
    await edge.close();
  });
});

test('an inactive user sees the state of the budgets and consumes none', async () => {
  let admitted = 0;
  const limits: CallLimits = {
    ...unlimited(),
    admit: (...args) => {
      admitted += 1;
      return unlimited().admit(...args);
    },
  };
  const edge = await startTestEdge({
    routes: itemRoutes,
    limits,
    authenticate: () => Promise.reject(new InactiveUserError(TEST_OWNER)),
  });
  try {
    const { status, headers, body } = await call(edge, 'GET', '/v1/items/1');
    expect([status, body['errorCode']]).toEqual([403, 'ACCOUNT_USER_INACTIVE']);
    expect(headers.get('ratelimit')).toContain('burst');
    expect(headers.get('ratelimit-policy')).toContain('hourly');
    expect(admitted).toBe(0);
  } finally {
    await edge.close();
  }
});
