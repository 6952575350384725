import { defineRoute } from '@fairlead-services/gateway/routes/define-route';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Answer } from './support/api.ts';
import { bodyWith, nameOf, placesOf, requiredQuery } from './support/places.ts';
import { differences } from './support/sameness.ts';
import type { RefusalSample } from './support/sameness.ts';

/** Tests the tenancy matrix itself with routes and responses that are wrong on purpose. */

function asked(
  id: string | number,
  {
    status = 404,
    headers = {},
    more = {},
  }: { status?: number; headers?: Record<string, string>; more?: object } = {},
): RefusalSample {
  const requestId = `request-${Math.random()}`;
  const timestamp = new Date(1_700_000_000_000 + Math.floor(Math.random() * 1e9)).toISOString();
  const body = {
    errorCode: 'NOT_FOUND',
    message: 'The agent does not exist.',
    requestId,
    timestamp,
    ...more,
  };
  const answer: Answer = {
    status,
    headers: new Headers({ 'x-request-id': requestId, 'content-type': 'application/json', ...headers }),
    text: JSON.stringify(body),
    body,
  };
  return { sort: `id ${id}`, id, answer };
}

describe('two refusals', () => {
  test('are the same whatever their request ids, times and echoed ids', () => {
    expect(differences([asked(1), asked(2)])).toEqual([]);
    const echo = (id: number | string): RefusalSample =>
      asked(id, { more: { message: `The agent ${id} does not exist.` } });
    expect(differences([echo(17), echo(2_000_000_000), echo('x.y')])).toEqual([]);
  });

  test.each([
    ['status', { status: 403 }],
    ['code', { more: { errorCode: 'FORBIDDEN' } }],
    ['message', { more: { message: 'The agent belongs to another account.' } }],
    ['a member more', { more: { details: null } }],
    ['a header', { headers: { 'x-found': 'yes' } }],
    ['the id where the other has none', { more: { message: 'The agent 2 does not exist.' } }],
  ])('that differ in %s are told apart', (_what, difference) => {
    expect(differences([asked(1), asked(2, difference)])).toHaveLength(1);
  });

  test('that differ in the order of members or in white space are distinguished', () => {
    const [first, second] = [asked(1), asked(2)];
    const { errorCode, ...rest } = second.answer.body;
    for (const text of [
      JSON.stringify({ ...rest, errorCode }),
      JSON.stringify(second.answer.body, null, 1),
    ]) {
      expect(differences([first, { ...second, answer: { ...second.answer, text } }])).toHaveLength(1);
    }
  });

  test('must be there', () => {
    expect(differences([])).not.toEqual([]);
  });
});

describe('the places of a route', () => {
  const id = z.int32().min(1);
  const declaration = {
    operationId: 'link',
    tags: ['Tools'],
    summary: 'Link',
    auth: 'credential',
    resource: 'gadget',
    params: z.object({ parentId: id, token: z.string() }),
    errors: [],
  } as const;
  const route = defineRoute(
    {
      ...declaration,
      method: 'post',
      path: '/v1/parents/{parentId}/gadgets/{token}',
      query: z.object({ widgetId: id.optional(), since: z.iso.datetime(), colour: z.string().optional() }),
      body: z.object({
        name: z.string(),
        kind: z.enum(['a', 'b']),
        count: z.int().min(3),
        ownerId: id.nullish(),
        links: z.array(z.object({ linkId: id, label: z.string() })).optional(),
        part: z.object({ toolSlug: z.string().optional() }).optional(),
      }),
    },
    () => Promise.resolve(undefined),
  );

  test('are its path parameters, and what is named like a record in query and body', () => {
    expect(placesOf(route).map(nameOf)).toEqual([
      'POST /v1/parents/{parentId}/gadgets/{token}, path parentId',
      'POST /v1/parents/{parentId}/gadgets/{token}, path token',
      'POST /v1/parents/{parentId}/gadgets/{token}, query widgetId',
      'POST /v1/parents/{parentId}/gadgets/{token}, body ownerId',
      'POST /v1/parents/{parentId}/gadgets/{token}, body links[].linkId',
      'POST /v1/parents/{parentId}/gadgets/{token}, body part.toolSlug',
    ]);
    expect(placesOf(route).map(({ name }) => name)).toEqual([
      'parentId',
      'gadget',
      'widgetId',
      'ownerId',
      'linkId',
      'toolSlug',
    ]);
  });

  test('are filters in a list only', () => {
    const list = defineRoute(
      {
        ...declaration,
        method: 'get',
        path: '/v1/parents/{parentId}/gadgets/{token}',
        query: z.object({ widgetId: id.optional() }),
        page: { defaultTop: 100 },
        response: z.object({}),
      },
      () => Promise.resolve({ items: [], totalCount: 0 }),
    );
    expect(placesOf(list).map(({ path, isFilter }) => [path, isFilter])).toEqual([
      ['parentId', false],
      ['token', false],
      ['widgetId', true],
    ]);
    expect(placesOf(route).some(({ isFilter }) => isFilter)).toBe(false);
  });

  test('are requested with the smallest request', () => {
    const smallest = { name: 'sample-of-some-length', kind: 'a', count: 3 };
    expect(bodyWith(route, '', 7)).toEqual(smallest);
    expect(bodyWith(route, 'ownerId', 7)).toEqual({ ...smallest, ownerId: 7 });
    expect(bodyWith(route, 'links[].linkId', 7)).toEqual({
      ...smallest,
      links: [{ linkId: 7, label: 'sample-of-some-length' }],
    });
    expect(bodyWith(route, 'part.toolSlug', 'x')).toEqual({ ...smallest, part: { toolSlug: 'x' } });
    expect(requiredQuery(route)).toEqual({ since: '2030-01-01T00:00:00Z' });
  });
});
