import { describe, expect, it } from 'vitest';
import { testCall, testOptions, testTool } from '../testing/calls.ts';
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

  it('reaches any top and offset through page numbers, cursors and Link headers', async () => {
    const { server, connector } = await testVendor(({ query, path }) => {
      const size = Number(query.get('size') ?? 5);
      const from = query.has('page')
        ? (Number(query.get('page')) - 1) * size
        : Number(query.get('cursor') ?? 0);
      const next = from + size < people.length ? String(from + size) : null;
      const link = next === null ? {} : { link: `<${path}?size=${size}&cursor=${next}>; rel="next"` };
      return { headers: link, body: { items: people.slice(from, from + size), next } };
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

  it('does not follow a next link to another origin', async () => {
    const other = await testVendor(() => ({ body: { items: [] } }));
    const { connector } = await testVendor(() => ({
      headers: { link: `<${other.server.url}/api/things?page=2>; rel=next` },
      body: { items: ids(0, 5) },
    }));
    const tool = testTool(httpExecution({ response: list }), {
      paging: { type: 'link', sizeQuery: null, pageSize: 5, maxPages: 3 },
    });
    expect(await testRuntime().execute(testCall(tool, { connector }), testOptions())).toMatchObject({
      isSuccess: false,
    });
    expect(other.server.requests).toEqual([]);
  });
});
