import type { Principal } from '@fairlead/access/principal';
import { ApiError } from '@fairlead/errors/api-error';
import { confinementOf, userOf } from '@fairlead/service-kit/context/context';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { routeDefiner } from './route.ts';
import { defineRoute } from './testing/define-route.ts';
import { TEST_OWNER, call, startTestEdge } from './testing/edge.ts';
import type { TestEdge } from './testing/edge.ts';
import { itemRoutes } from './testing/item-routes.ts';

let edge: TestEdge;
beforeAll(async () => {
  edge = await startTestEdge({ routes: itemRoutes });
});
afterAll(() => edge.close());

describe('a key that is confined to a toolset', () => {
  const principal = { ...TEST_OWNER, toolsetId: 'toolset-1' };
  const declaration = {
    method: 'get',
    tags: ['Items'],
    summary: 'Get',
    auth: 'credential',
    response: z.strictObject({}),
    errors: [],
  } as const;
  const params = z.object({ id: z.string() });
  const routes = [
    defineRoute({ ...declaration, operationId: 'closed', path: '/v1/closed' }, () => Promise.resolve({})),
    defineRoute({ ...declaration, operationId: 'open', path: '/v1/open', toolsetKeys: 'any' }, () =>
      Promise.resolve({}),
    ),
    defineRoute(
      { ...declaration, operationId: 'own', path: '/v1/own/{id}', params, toolsetKeys: 'ownToolset' },
      () => Promise.resolve({}),
    ),
  ];

  let own: TestEdge;
  afterEach(() => own.close());

  test.each([
    ['/v1/closed', 403],
    ['/v1/closed?toolsetId=toolset-1', 403],
    ['/v1/open', 200],
    ['/v1/open?toolsetId=toolset-1', 200],
    ['/v1/open?toolsetId=toolset-2', 403],
    ['/v1/open?toolsetId=toolset-1&toolsetId=toolset-2', 403],
    ['/v1/open?toolset%49d=toolset-2', 403],
    ['/v1/own/toolset-1', 200],
    ['/v1/own/toolset-2', 403],
  ] as const)('gets from %s %i', async (path, status) => {
    own = await startTestEdge({ routes, principal, isStrict: false });
    expect((await call(own, 'GET', path)).status).toBe(status);
  });

  test('tells services what it is confined to, and an unrestricted caller tells nothing', async () => {
    const seen: unknown[] = [];
    const route = defineRoute(
      { ...declaration, operationId: 'open', path: '/v1/open', toolsetKeys: 'any' },
      ({ ctx }) => {
        seen.push(confinementOf(ctx));
        return Promise.resolve({});
      },
    );
    const callers = [principal, TEST_OWNER];
    own = await startTestEdge({
      routes: [route],
      authenticate: () => Promise.resolve(callers.shift() ?? TEST_OWNER),
    });
    for (const path of ['/v1/open', '/v1/open']) await call(own, 'GET', path);
    expect(seen).toEqual([{ toolsetId: 'toolset-1', keyId: TEST_OWNER.credentialId }, undefined]);
  });
});

test('services are told which credential a caller used', async () => {
  const seen: unknown[] = [];
  const route = defineRoute(
    {
      operationId: 'see',
      method: 'get',
      path: '/v1/see',
      tags: ['Items'],
      summary: 'See',
      auth: 'credential',
      response: z.strictObject({}),
      errors: [],
    },
    ({ ctx }) => {
      seen.push(userOf(ctx).credential);
      return Promise.resolve({});
    },
  );
  const client = { clientId: 'client_1', grantId: 'grant_1' };
  const callers: Principal[] = [
    TEST_OWNER,
    { ...TEST_OWNER, credentialType: 'bearer', credentialId: 'jti_1', client },
  ];
  const own = await startTestEdge({
    routes: [route],
    authenticate: () => Promise.resolve(callers.shift() ?? TEST_OWNER),
  });
  for (const path of ['/v1/see', '/v1/see']) await call(own, 'GET', path);
  await own.close();
  expect(seen).toEqual([{ keyId: TEST_OWNER.credentialId }, { tokenId: 'jti_1', ...client }]);
});

describe('permission', () => {
  test('a caller without the permission is 403 before the body is looked at', async () => {
    const principal = { ...TEST_OWNER, roles: ['member'], permissions: [] } as const;
    const limited = await startTestEdge({ routes: itemRoutes, principal });
    const answer = await call(limited, 'POST', '/v1/items', {
      body: '{',
      headers: { 'content-type': 'text/plain' },
    });
    expect([answer.status, answer.body['errorCode']]).toEqual([403, 'FORBIDDEN']);
    await limited.close();
  });
});

describe('validation', () => {
  test('each wrong field is named as it was sent, in one answer', async () => {
    const answer = await call(edge, 'POST', '/v1/items', { json: { name: 5, data: 'x' } });
    expect(answer.body).toMatchObject({
      errorCode: 'VALIDATION_ERROR',
      details: [
        { field: 'name', issue: 'must be a string' },
        { field: 'data', issue: 'must be an object' },
      ],
    });
  });

  test('unknown members and parameters are ignored', async () => {
    const answer = await call(edge, 'POST', '/v1/items?unknown=1&unknown=2', {
      json: { name: 'a', more: true },
    });
    expect([answer.status, answer.body['more']]).toEqual([201, undefined]);
  });

  test.each(['abc', '0', '-1', '2147483648', '1.0', '1e2', '01', '-0', '%20'])(
    'an id %j in a path is the 404 of an unknown record',
    async (id) => {
      const answer = await call(edge, 'GET', `/v1/items/${id}`);
      expect([answer.status, answer.body['errorCode'], answer.body['message']]).toEqual([
        404,
        'NOT_FOUND',
        'The item does not exist.',
      ]);
      expect(answer.body).not.toHaveProperty('details');
    },
  );

  test.each([
    'offset=-1',
    'top=0',
    'top=101',
    'top=abc',
    'top=1.5',
    'top=',
    'top=1&top=2',
    'offset=2147483648',
    'top=%2B5',
    'top=0x10',
  ])('the page %s is a VALIDATION_ERROR that names the parameter', async (query) => {
    const answer = await call(edge, 'GET', `/v1/items?${query}`);
    expect(answer.body['errorCode']).toBe('VALIDATION_ERROR');
    expect(answer.body['details']).toMatchObject([{ field: query.split('=')[0] }]);
  });

  test.each(['abc', '1.5', '%2B5'])(
    'the error for top=%s names the expected type, an integer',
    async (top) => {
      const { body } = await call(edge, 'GET', `/v1/items?top=${top}`);
      expect(body['details']).toEqual([{ field: 'top', issue: 'must be an integer' }]);
    },
  );

  test('a list answers its envelope, with the defaults where nothing was asked', async () => {
    expect((await call(edge, 'GET', '/v1/items')).body).toMatchObject({
      totalCount: 1,
      offset: 0,
      top: 25,
      items: [{ id: 25 }],
    });
    expect((await call(edge, 'GET', '/v1/items?offset=3&top=100')).body).toMatchObject({
      offset: 3,
      top: 100,
    });
  });

  test('__proto__ in a body is dropped', async () => {
    const body =
      '{"name":"a","data":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}';
    const answer = await call(edge, 'POST', '/v1/items', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(201);
    expect(answer.body['text']).not.toContain('__proto__');
    expect({}).not.toHaveProperty('polluted');
  });

  test('JSON nested a million levels deep is refused and harms nothing', async () => {
    const depth = 1_000_000;
    const body = `{"name":"a","data":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
    const answer = await call(edge, 'POST', '/v1/items', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, answer.body['errorCode']]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('the bounds of bodies', () => {
  const takesMore = defineRoute(
    {
      operationId: 'takeMore',
      method: 'post',
      path: '/v1/more',
      tags: ['Items'],
      summary: 'Takes more values than other routes',
      auth: 'credential',
      body: z.object({ items: z.array(z.int()) }),
      maxBodyValues: 200_000,
      response: z.strictObject({ count: z.int() }),
      errors: [],
    },
    ({ body }) => Promise.resolve({ count: body.items.length }),
  );

  test('a body has at most 100 000 values, unless its route declares another number', async () => {
    const more = await startTestEdge({ routes: [...itemRoutes, takesMore] });
    const items = Array(150_000).fill(1);
    const refused = await call(more, 'POST', '/v1/items', { json: { name: 'a', data: { items } } });
    expect([refused.status, refused.body['errorCode'], refused.body['details']]).toEqual([
      400,
      'VALIDATION_ERROR',
      [{ field: 'body', issue: 'must not hold more than 100000 JSON values' }],
    ]);
    expect((await call(more, 'POST', '/v1/more', { json: { items } })).body['count']).toBe(150_000);
    await more.close();
  });

  test('an error names at most 100 fields', async () => {
    const more = await startTestEdge({ routes: [takesMore] });
    const answer = await call(more, 'POST', '/v1/more', { json: { items: Array(1000).fill('a') } });
    expect(answer.status).toBe(400);
    expect(answer.body['details']).toHaveLength(100);
    await more.close();
  });
});

describe('services', () => {
  test('a handler gets the services that its route names, and no other', async () => {
    const declaration = {
      operationId: 'probe',
      method: 'get',
      path: '/v1/probe',
      tags: ['Items'],
      summary: 'Probe',
      auth: 'credential',
      services: ['tools', 'usage'],
      response: z.array(z.string()),
      errors: [],
    } as const;
    const own = { tools: {}, usage: {}, connections: {} };
    const namesServices = routeDefiner<typeof own>()(declaration, ({ services }) => {
      // @ts-expect-error A service that the route does not name does not compile.
      expect(services.connections).toBeUndefined();
      return Promise.resolve(Object.keys(services));
    });
    const probed = await startTestEdge({ routes: [namesServices], services: own });
    const answer = await call(probed, 'GET', '/v1/probe');
    expect(answer.body['text']).toBe('["tools","usage"]');
    await probed.close();
  });
});

describe('a route answers only what it declares', () => {
  const declaration = {
    operationId: 'probe',
    method: 'get',
    path: '/v1/probe',
    tags: ['Items'],
    summary: 'Probe',
    auth: 'credential',
    response: z.strictObject({ name: z.string() }),
    errors: [],
  } as const;
  const answersMore = defineRoute(declaration, () =>
    Promise.resolve({ name: 'a', secret: 'b' } as { name: string }),
  );
  const refusesMore = defineRoute(declaration, () =>
    Promise.reject(new ApiError('CONFLICT', 'Not declared.')),
  );
  const fails = defineRoute(declaration, () => Promise.reject(new TypeError('internal detail')));

  test.each([answersMore, refusesMore])('strict: anything else is INTERNAL', async (route) => {
    const strict = await startTestEdge({ routes: [route] });
    const answer = await call(strict, 'GET', '/v1/probe');
    expect([answer.status, answer.body['errorCode']]).toEqual([500, 'INTERNAL']);
    await strict.close();
  });

  test.each([
    [answersMore, 200],
    [refusesMore, 409],
  ])('in production: it is answered and logged', async (route, status) => {
    const production = await startTestEdge({ routes: [route], isStrict: false });
    expect((await call(production, 'GET', '/v1/probe')).status).toBe(status);
    expect(
      production.lines.some((line) => line['level'] === 'error' && line['operationId'] === 'probe'),
    ).toBe(true);
    await production.close();
  });

  test('an unexpected error is INTERNAL with a fixed text; its cause is in the log only', async () => {
    const broken = await startTestEdge({ routes: [fails] });
    const answer = await call(broken, 'GET', '/v1/probe');
    expect([answer.status, answer.body['errorCode']]).toEqual([500, 'INTERNAL']);
    expect(answer.body['text']).not.toContain('internal detail');
    expect(JSON.stringify(broken.lines)).toContain('internal detail');
    await broken.close();
  });
});
