import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { HttpRequestTemplate } from '@fairlead/connector-model/model';
import type { ToolOutcome } from '../call.ts';
import { testCall, testOptions, testRequest, testTool } from '../testing/calls.ts';
import type { ReceivedRequest } from '../testing/http-server.ts';
import { httpExecution, testRuntime, testVendor } from '../testing/vendor.ts';

/** Sends one request to a vendor. Returns the request that the vendor received, and the outcome. */
async function sendBody(
  parts: Partial<HttpRequestTemplate>,
  fields: JsonObject,
): Promise<{ received: ReceivedRequest | undefined; outcome: ToolOutcome }> {
  const { server, connector } = await testVendor(() => ({ body: {} }));
  const tool = testTool(httpExecution({ request: testRequest('/things', { method: 'POST', ...parts }) }));
  const outcome = await testRuntime().execute(testCall(tool, { connector, fields }), testOptions());
  return { received: server.requests[0], outcome };
}

const file = (text: string, name = 'a.txt', contentType = 'text/plain') => ({
  name,
  contentType,
  base64: Buffer.from(text).toString('base64'),
});

/** The parts of a received multipart body, read by the platform's own parser. */
function parts({ headers, body }: ReceivedRequest): Promise<FormData> {
  return new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
}

describe('the body of a request', () => {
  it('is a form, with the style of the vendor for lists and objects', async () => {
    const body = { name: '{{input.name}}', none: '{{input.none}}', items: '{{input.items}}' };
    const fields = { name: 'a b&c=d', items: [{ price: 'p1', quantity: 2 }, { price: 'p2' }] };
    const { received } = await sendBody({ body, encoding: { type: 'form', style: 'indices' } }, fields);
    expect(received?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(received?.body)]).toEqual([
      ['name', 'a b&c=d'],
      ['items[0][price]', 'p1'],
      ['items[0][quantity]', '2'],
      ['items[1][price]', 'p2'],
    ]);
  });

  it('is multipart, in which files are parts with their names and types', async () => {
    const body = { title: '{{input.title}}', picture: '{{input.picture}}', tags: '{{input.tags}}' };
    const picture = file('P\r\n--x--', 'a"\r\nb: c.png', 'image/png');
    const { received } = await sendBody(
      { body, encoding: { type: 'multipart' } },
      { title: 'T', picture, tags: ['x', 'y'] },
    );
    if (received === undefined) throw new Error('Nothing arrived.');
    const form = await parts(received);
    expect(form.get('title')).toBe('T');
    expect(form.getAll('tags')).toEqual(['x', 'y']);
    const part = form.get('picture');
    if (!(part instanceof File)) throw new Error('The picture is no file.');
    expect([part.type, await part.text()]).toEqual(['image/png', 'P\r\n--x--']);
    expect(received?.body).toContain('filename="a%22%0D%0Ab: c.png"');
  });

  it('does not let the type of a file add a header to its part', async () => {
    const hostile = file('P', 'a', 'image/png\r\nx-evil: 1');
    const body = { picture: '{{input.picture}}' };
    const { received } = await sendBody({ body, encoding: { type: 'multipart' } }, { picture: hostile });
    expect(received?.body).not.toContain('x-evil');
  });

  it.each([
    ['a file with its own type', file('a,b', 'a.csv', 'text/csv'), null, 'a,b', 'text/csv'],
    ['a file with the type of the request', file('a,b'), 'text/csv', 'a,b', 'text/csv'],
    ['a text', 'hello', null, 'hello', 'text/plain;charset=utf-8'],
  ])('is raw: %s', async (_name, content, contentType, expected, type) => {
    const { received } = await sendBody(
      { body: '{{input.content}}', encoding: { type: 'raw', contentType } },
      { content },
    );
    expect([received?.body, received?.headers['content-type']]).toEqual([expected, type]);
  });

  it('is a GraphQL operation, without the conditions that have no value', async () => {
    const graphql = {
      query: 'query A($filter: F, $n: Int) { a(filter: $filter, n: $n) { b { c }}}',
      variables: {
        filter: { team: { eq: '{{input.team}}' }, state: { eq: '{{input.state}}' } },
        n: '{{input.n}}',
      },
    };
    const { received } = await sendBody({ graphql }, { team: 't1', n: 5 });
    expect(JSON.parse(received?.body ?? '')).toEqual({
      query: graphql.query,
      variables: { filter: { team: { eq: 't1' } }, n: 5 },
    });
    const none = await sendBody({ graphql }, {});
    expect(JSON.parse(none.received?.body ?? '')).toEqual({ query: graphql.query, variables: {} });
  });

  it('is refused when the names of a form would make it far larger than its inputs', async () => {
    const name = 'n'.repeat(200_000);
    const { received, outcome } = await sendBody(
      { body: { a: '{{input.a}}' }, encoding: { type: 'form', style: 'brackets' } },
      { a: { [name]: Array.from({ length: 1000 }, () => 1) } },
    );
    expect(received).toBeUndefined();
    expect(outcome).toMatchObject({ errorMessage: 'The body of the request is too large.' });
  });
});

describe('the query of a request', () => {
  it('is written in the style of each parameter', async () => {
    const { received } = await sendBody(
      {
        method: 'GET',
        query: { ids: '{{input.ids}}', tags: '{{input.tags}}', created: '{{input.created}}' },
        queryStyles: { ids: 'comma', created: 'brackets' },
      },
      { ids: [1, 2], tags: ['x', 'y'], created: { gte: 5 } },
    );
    expect(received?.query.toString()).toBe('ids=1%2C2&tags=x&tags=y&created%5Bgte%5D=5');
  });
});
