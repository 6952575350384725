import { describe, expect, it } from 'vitest';
import { testCall, testOptions, testRequest, testTool } from '../testing/calls.ts';
import { httpExecution, testRuntime, testVendor } from '../testing/vendor.ts';

describe('execute of a list', () => {
  const people = Array.from({ length: 23 }, (_value, index) => ({ id: index }));
  const list = { type: 'list', itemsPointer: '/items', totalPointer: '/total' } as const;
  const ids = (from: number, to: number): { id: number }[] => people.slice(from, to);

  it('sends filters, sorts, top and offset as the manifest says, one parameter per condition', async () => {
    const { server, connector } = await testVendor(() => ({ body: { items: ids(0, 2), total: 23 } }));
    const tool = testTool(httpExecution({ response: list }), {
      filters: {
        max: 5,
        fields: ['a', 'b'],
        query: { name: 'filter', value: '{{filter.field}}:{{filter.operator}}:{{filter.json}}' },
      },
      sorts: {
        max: 2,
        fields: ['a', 'b'],
        query: { name: 'sort', value: '{{sort.field}}:{{sort.direction}}' },
      },
      paging: { type: 'offset', topQuery: 'limit', offsetQuery: 'skip', maxTop: 100 },
    });
    const outcome = await testRuntime().execute(
      testCall(tool, {
        connector,
        filters: [
          { field: 'a', operator: 'eq', value: 'x:y&z' },
          { field: 'b', operator: 'in', value: [1, '2'] },
        ],
        sorts: [
          { field: 'a', direction: 'desc' },
          { field: 'b', direction: 'asc' },
        ],
        top: 2,
        offset: 4,
      }),
      testOptions(),
    );
    expect(outcome).toMatchObject({ output: { items: ids(0, 2), totalCount: 23 } });
    const query = server.requests[0]?.query;
    expect(query?.getAll('filter')).toEqual(['a:eq:"x:y&z"', 'b:in:[1,"2"]']);
    expect(query?.getAll('sort')).toEqual(['a:desc', 'b:asc']);
    expect(query?.get('limit')).toBe('2');
    expect(query?.get('skip')).toBe('4');
  });

  it('sends top and offset in the body of each page if the recipe has no parameters for them', async () => {
    const { server, connector } = await testVendor(({ body }) => {
      const { limit, skip } = JSON.parse(body) as { limit: number; skip: number };
      return { body: { items: ids(skip, skip + limit), total: 23 } };
    });
    const body = { limit: '{{page.top}}', skip: '{{page.offset}}', kind: '{{input.kind}}' };
    const request = testRequest('/people', { method: 'POST', body });
    const tool = testTool(httpExecution({ request, response: list }), {
      retryClass: 'readOnly',
      paging: { type: 'offset', topQuery: null, offsetQuery: null, maxTop: 5 },
    });
    const call = testCall(tool, { connector, fields: { kind: 'x' }, top: 7, offset: 2 });
    expect(await testRuntime().execute(call, testOptions())).toMatchObject({
      output: { items: ids(2, 9), totalCount: 23 },
    });
    expect(server.requests.map((sent) => [[...sent.query], JSON.parse(sent.body) as unknown])).toEqual([
      [[], { limit: 5, skip: 2, kind: 'x' }],
      [[], { limit: 2, skip: 7, kind: 'x' }],
    ]);
  });

  it('reaches any top and offset through page numbers, cursors and Link headers', async () => {
    const { server, connector } = await testVendor(({ query, path }) => {
      const size = Number(query.get('size') ?? 5);
      const from = query.has('page')
        ? (Number(query.get('page')) - 1) * size
        : query.has('page0')
          ? Number(query.get('page0')) * size
          : query.has('after')
            ? Number(query.get('after')) + 1
            : Number(query.get('cursor') ?? 0);
      const next = from + size < people.length ? String(from + size) : null;
      const address = next === null ? null : `${path}?size=${size}&cursor=${next}`;
      const link = address === null ? {} : { link: `<${address}>; rel="next"` };
      const items = people.slice(from, from + size);
      // Some vendors name a cursor on the last page too.
      const body = {
        items,
        next,
        echo: String(from + size),
        hasMore: next !== null,
        links: { next: address },
      };
      return { headers: link, body };
    });
    const pagings = [
      { type: 'page', sizeQuery: 'size', pageQuery: 'page', pageSize: 5, maxPages: 10 },
      {
        type: 'cursor',
        sizeQuery: 'size',
        pageSize: 5,
        cursorQuery: 'cursor',
        nextCursorPointer: '/next',
        maxPages: 10,
      },
      {
        type: 'cursor',
        sizeQuery: 'size',
        pageSize: 5,
        cursorQuery: 'cursor',
        nextCursorPointer: '/links/next',
        nextCursorParameter: 'cursor',
        maxPages: 10,
      },
      { type: 'page', sizeQuery: 'size', pageQuery: 'page0', firstPage: 0, pageSize: 5, maxPages: 10 },
      {
        type: 'cursor',
        sizeQuery: 'size',
        pageSize: 5,
        cursorQuery: 'cursor',
        nextCursorPointer: '/echo',
        hasMorePointer: '/hasMore',
        maxPages: 10,
      },
      {
        type: 'lastId',
        sizeQuery: 'size',
        pageSize: 5,
        cursorQuery: 'after',
        idPointer: '/id',
        maxPages: 10,
      },
      {
        type: 'lastId',
        sizeQuery: 'size',
        pageSize: 5,
        cursorQuery: 'after',
        idPointer: '/id',
        hasMorePointer: '/hasMore',
        maxPages: 10,
      },
      { type: 'nextUrl', sizeQuery: 'size', pageSize: 5, nextUrlPointer: '/links/next', maxPages: 10 },
      { type: 'link', sizeQuery: 'size', pageSize: 5, maxPages: 10 },
    ] as const;
    for (const paging of pagings) {
      const tool = testTool(httpExecution({ response: { ...list, totalPointer: null } }), { paging });
      for (const [top, offset] of [
        [3, 0],
        [7, 6],
        [100, 20],
        [100, 30],
      ] as const) {
        const outcome = await testRuntime().execute(
          testCall(tool, { connector, top, offset }),
          testOptions(),
        );
        expect(outcome, `${paging.type} ${top} ${offset}`).toMatchObject({
          isSuccess: true,
          output: { items: ids(offset, offset + top) },
        });
      }
    }
    expect(server.requests.every((request) => request.path === '/api/things')).toBe(true);
  });

  it('asks for no more items than it returns', async () => {
    const { server, connector } = await testVendor(() => ({ body: { items: ids(0, 3), next: 'more' } }));
    const pagings = [
      { type: 'page', sizeQuery: 'size', pageQuery: 'page', pageSize: 50, maxPages: 3 },
      {
        type: 'cursor',
        sizeQuery: 'size',
        pageSize: 50,
        cursorQuery: 'c',
        nextCursorPointer: '/next',
        maxPages: 3,
      },
      { type: 'link', sizeQuery: 'size', pageSize: 50, maxPages: 3 },
    ] as const;
    for (const paging of pagings) {
      const tool = testTool(httpExecution({ response: list }), { paging });
      await testRuntime().execute(testCall(tool, { connector, top: 3 }), testOptions());
    }
    expect(server.requests.map(({ query }) => query.get('size'))).toEqual(['3', '3', '3']);
  });

  it('is empty if the vendor answers 204', async () => {
    const { connector } = await testVendor(() => ({ status: 204 }));
    const call = testCall(testTool(httpExecution({ response: list })), { connector });
    expect(await testRuntime().execute(call, testOptions())).toMatchObject({ output: { items: [] } });
  });

  it('ends at an empty page, whatever its Link header names', async () => {
    const { server, connector } = await testVendor(({ query, path }) => {
      const from = Number(query.get('cursor') ?? 0);
      return {
        headers: { link: `<${path}?cursor=${String(from + 10)}>; rel="next"` },
        body: { items: ids(from, Math.min(from + 10, 10)) },
      };
    });
    const paging = { type: 'link', sizeQuery: null, pageSize: 10, maxPages: 5 } as const;
    const tool = testTool(httpExecution({ response: list }), { paging });
    const outcome = await testRuntime().execute(testCall(tool, { connector, top: 50 }), testOptions());
    expect(outcome).toMatchObject({ isSuccess: true, output: { items: ids(0, 10) } });
    expect(server.requests).toHaveLength(2);
  });

  it('sends the cursor in the body where the vendor takes it there', async () => {
    const { server, connector } = await testVendor(({ body }) => {
      // The expected body of the test's own template.
      const { cursor = '0' } = JSON.parse(body) as { cursor?: string };
      const from = Number(cursor);
      return { body: { items: ids(from, from + 10), next: from + 10 < 23 ? String(from + 10) : null } };
    });
    const body = { size: '{{page.top}}', cursor: '{{page.cursor}}' };
    const request = testRequest('/things/search', { method: 'POST', body });
    const tool = testTool(httpExecution({ request, response: list }), {
      paging: {
        type: 'cursor',
        sizeQuery: null,
        pageSize: 10,
        cursorQuery: null,
        nextCursorPointer: '/next',
        maxPages: 5,
      },
    });
    const outcome = await testRuntime().execute(testCall(tool, { connector, top: 100 }), testOptions());
    expect(outcome).toMatchObject({ isSuccess: true, output: { items: people } });
    expect(server.requests.map((each) => JSON.parse(each.body) as unknown)).toEqual([
      { size: 10 },
      { size: 10, cursor: '10' },
      { size: 10, cursor: '20' },
    ]);
  });

  it('keeps only the declared properties of items if the tool trims them', async () => {
    const item = {
      id: 1,
      owner: { id: 2, secret: 'x' },
      tags: [{ name: 't', color: 'c' }],
      raw: { a: 1 },
      extra: 3,
    };
    const { connector } = await testVendor(() => ({ body: { items: [item, 'odd'] } }));
    const named = { type: 'object', properties: { name: { type: 'string' } } };
    const tool = testTool(httpExecution({ response: { ...list, isTrimmed: true } }), {
      outputSchema: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                id: { type: 'integer' },
                owner: { type: 'object', properties: { id: { type: 'integer' } } },
                tags: { type: 'array', items: named },
                raw: { type: 'object' },
              },
            },
          },
        },
      },
    });
    const outcome = await testRuntime().execute(testCall(tool, { connector }), testOptions());
    const kept = { id: 1, owner: { id: 2 }, tags: [{ name: 't' }], raw: { a: 1 } };
    expect(outcome).toMatchObject({ isSuccess: true, output: { items: [kept, 'odd'] } });
    expect(JSON.stringify(outcome)).not.toMatch(/secret|color|extra/);
  });

  it('fails instead of returning a partial page if the vendor has more pages than are read', async () => {
    const { server, connector } = await testVendor(() => ({ body: { items: ids(0, 5), next: 'more' } }));
    const tool = testTool(httpExecution({ response: list }), {
      paging: {
        type: 'cursor',
        sizeQuery: null,
        pageSize: 5,
        cursorQuery: 'c',
        nextCursorPointer: '/next',
        maxPages: 3,
      },
    });
    const outcome = await testRuntime().execute(testCall(tool, { connector, top: 50 }), testOptions());
    expect(outcome).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('smaller offset') as string,
    });
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    { type: 'link', sizeQuery: null, pageSize: 5, maxPages: 3 },
    { type: 'nextUrl', sizeQuery: null, pageSize: 5, nextUrlPointer: '/next', maxPages: 3 },
  ] as const)('does not follow a next $type to another origin, but to a listed one', async (paging) => {
    const other = await testVendor(() => ({ body: { items: ids(5, 7) } }));
    const next = `${other.server.url}/api/things?page=2`;
    const { connector } = await testVendor(() => ({
      headers: { link: `<${next}>; rel=next` },
      body: { items: ids(0, 5), next },
    }));
    const tool = testTool(httpExecution({ response: list }), { paging });
    expect(await testRuntime().execute(testCall(tool, { connector }), testOptions())).toMatchObject({
      isSuccess: false,
    });
    expect(other.server.requests).toEqual([]);
    const listed = { ...connector, origins: [other.server.url] };
    expect(await testRuntime().execute(testCall(tool, { connector: listed }), testOptions())).toMatchObject({
      output: { items: ids(0, 7) },
    });
  });
});
