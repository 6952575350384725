import { expect, it } from 'vitest';
import { shippedConnector } from '@fairlead/connector-runtime/testing/shipped-connector';
import type { ReceivedRequest, TestResponse } from '@fairlead/connector-runtime/testing/http-server';

const notion = (respond: (request: ReceivedRequest, count: number) => TestResponse) =>
  shippedConnector('notion', {
    origin: 'https://api.notion.com',
    authenticationId: 1,
    fields: { integrationToken: 'ntn_1' },
    respond,
  });

const DATABASE = '0123456789abcdef0123456789abcdef';

it('queries a database page by page, with the cursor in the body and the version in a header', async () => {
  const { server, call } = await notion((_request, count) => ({
    body: {
      object: 'list',
      results: [{ object: 'page', id: `p${count}`, icon: null, properties: { Name: { id: 'title' } } }],
      next_cursor: count === 1 ? 'c2' : null,
      has_more: count === 1,
    },
  }));
  const filter = { property: 'Status', select: { equals: 'Open' } };
  expect(await call('notion-query-database', { id: DATABASE, filter }, { top: 10 })).toMatchObject({
    isSuccess: true,
    output: {
      items: [
        { object: 'page', id: 'p1', properties: { Name: { id: 'title' } } },
        { object: 'page', id: 'p2', properties: { Name: { id: 'title' } } },
      ],
    },
  });
  expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { filter, page_size: 10 },
    { filter, page_size: 10, start_cursor: 'c2' },
  ]);
  expect(server.requests[0]).toMatchObject({
    path: `/v1/databases/${DATABASE}/query`,
    headers: { authorization: 'Bearer ntn_1', 'notion-version': '2022-06-28' },
  });
});

it('replies in a discussion without naming a page', async () => {
  const { server, call } = await notion(() => ({ body: { object: 'comment', id: 'c1' } }));
  await call('notion-create-comment', { discussionId: DATABASE, text: 'Yes' });
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    discussion_id: DATABASE,
    rich_text: [{ text: { content: 'Yes' } }],
  });
});

it('fails with Notion’s message', async () => {
  const { call } = await notion(() => ({
    status: 404,
    body: { object: 'error', status: 404, code: 'object_not_found', message: 'Could not find page.' },
  }));
  expect(await call('notion-get-page', { id: DATABASE })).toMatchObject({
    isSuccess: false,
    errorMessage: 'Notion responded with 404: Could not find page.',
  });
});
