import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from './testing/define-route.ts';

test('a route that does not say who may call it needs a credential', () => {
  const route = defineRoute(
    {
      operationId: 'getItem',
      method: 'get',
      path: '/v1/item',
      tags: ['Items'],
      summary: 'Get the item',
      response: z.strictObject({ userId: z.string() }),
    },
    ({ principal }) => Promise.resolve({ userId: principal.userId }),
  );
  expect(route.auth).toBe('credential');
  expect(route.errors).toContain('UNAUTHORIZED');
});
