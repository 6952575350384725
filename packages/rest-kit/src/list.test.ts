import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pageQuery } from './list.ts';
import { toJsonSchema } from './json-schema.ts';
import { defineRoute } from './testing/define-route.ts';
import { call, startTestEdge } from './testing/edge.ts';
import type { TestEdge } from './testing/edge.ts';

const listClamped = defineRoute(
  {
    operationId: 'listClamped',
    method: 'get',
    path: '/v1/clamped',
    tags: ['Items'],
    summary: 'List with a page that is clamped',
    page: { defaultTop: 100, clamps: true },
    response: z.strictObject({ top: z.int(), offset: z.int() }),
  },
  ({ page: { top, offset } }) => Promise.resolve({ items: [{ top, offset }], totalCount: 1 }),
);

let edge: TestEdge;
beforeAll(async () => {
  edge = await startTestEdge({ routes: [listClamped] });
});
afterAll(() => edge.close());

describe('a list that clamps', () => {
  test.each([
    ['', { offset: 0, top: 100 }],
    ['?top=0', { offset: 0, top: 1 }],
    ['?top=-7&offset=-1', { offset: 0, top: 1 }],
    ['?top=101&offset=5', { offset: 5, top: 100 }],
    ['?top=99999999999999999999&offset=-99999999999999999999', { offset: 0, top: 100 }],
    ['?top=100&offset=2147483647', { offset: 2_147_483_647, top: 100 }],
    ['?top=1', { offset: 0, top: 1 }],
  ])('%s is the nearest page, and the envelope shows it', async (query, page) => {
    const { status, body } = await call(edge, 'GET', `/v1/clamped${query}`);
    expect([status, body]).toMatchObject([200, { ...page, items: [page] }]);
  });

  test.each([
    ['?top=ten', 'top', 'must be an integer'],
    ['?top=1.5', 'top', 'must be an integer'],
    ['?top=1e1', 'top', 'must be an integer'],
    ['?top=', 'top', 'must not be empty'],
    ['?top=1&top=2', 'top', 'must be given only once'],
    ['?offset=x', 'offset', 'must be an integer'],
    ['?offset=2147483648', 'offset', 'must be at most 2147483647'],
  ])('%s is refused', async (query, field, issue) => {
    const { status, body } = await call(edge, 'GET', `/v1/clamped${query}`);
    expect([status, body]).toMatchObject([
      400,
      { errorCode: 'VALIDATION_ERROR', details: [{ field, issue }] },
    ]);
  });

  test('is described by integers, of which only those that are refused have a bound', () => {
    const query = pageQuery(z.object({}), { defaultTop: 50, clamps: true });
    expect(toJsonSchema(query).properties).toEqual({
      offset: {
        type: 'integer',
        maximum: 2_147_483_647,
        default: 0,
        description: 'Zero-based index of the first item. A negative one is taken as 0.',
      },
      top: {
        type: 'integer',
        default: 50,
        description: 'Maximum number of items in the page. Clamped to 1 to 100.',
      },
    });
  });
});
