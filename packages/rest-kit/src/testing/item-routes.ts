import { ApiError } from '@fairlead/errors/api-error';
import { z } from 'zod';
import { jsonObject, recordId } from '../fields.ts';
import { defineRoute } from './define-route.ts';

const record = z.strictObject({ id: z.int(), name: z.string() });

const getItem = defineRoute(
  {
    operationId: 'getItem',
    method: 'get',
    path: '/v1/items/{itemId}',
    tags: ['Items'],
    summary: 'Get an item',
    auth: 'credential',
    params: z.object({ itemId: recordId }),
    resource: 'item',
    response: record,
    errors: [],
  },
  ({ params }) => Promise.resolve({ id: params.itemId, name: 'one' }),
);

const createItem = defineRoute(
  {
    operationId: 'createItem',
    method: 'post',
    path: '/v1/items',
    tags: ['Items'],
    summary: 'Create an item',
    auth: 'credential',
    permission: 'connections.write',
    body: z.object({ name: z.string().min(1), data: jsonObject.default({}) }),
    response: z.strictObject({ name: z.string(), data: jsonObject }),
    status: 201,
    errors: ['CONFLICT'],
  },
  ({ body }) =>
    body.name === 'taken'
      ? Promise.reject(new ApiError('CONFLICT', 'The name is taken.', { candidates: ['a', 'b'] }))
      : Promise.resolve(body),
);

const listItems = defineRoute(
  {
    operationId: 'listItems',
    method: 'get',
    path: '/v1/items',
    tags: ['Items'],
    summary: 'List items',
    auth: 'credential',
    page: { defaultTop: 25 },
    response: record,
    errors: [],
  },
  ({ page }) => Promise.resolve({ items: [{ id: page.top, name: 'one' }], totalCount: 1 }),
);

const deleteItem = defineRoute(
  {
    operationId: 'deleteItem',
    method: 'delete',
    path: '/v1/items/{itemId}',
    tags: ['Items'],
    summary: 'Delete an item',
    auth: 'credential',
    params: z.object({ itemId: recordId }),
    resource: 'item',
    errors: [],
  },
  () => Promise.resolve(undefined),
);

const importItems = defineRoute(
  {
    operationId: 'importItems',
    method: 'post',
    path: '/v1/items/import',
    tags: ['Items'],
    summary: 'Literal path beside a parameter',
    auth: 'credential',
    body: z.object({ count: z.int().default(0) }),
    response: z.strictObject({ count: z.int() }),
    errors: [],
  },
  ({ body }) => Promise.resolve(body),
);

const readWithoutCredential = defineRoute(
  {
    operationId: 'readWithoutCredential',
    method: 'get',
    path: '/v1/open',
    tags: ['Items'],
    summary: 'For anyone',
    auth: 'anonymous',
    response: z.null(),
    errors: [],
  },
  () => Promise.resolve(null),
);

/** Routes of every kind, for tests of the edge. */
export const itemRoutes = [getItem, createItem, listItems, deleteItem, importItems, readWithoutCredential];
