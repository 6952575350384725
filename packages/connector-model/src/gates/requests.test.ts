import { describe, expect, it } from 'vitest';
import { clientCredentialsMethod, compiled, getThing, listThings, problemsOf } from '../testing/manifest.ts';
import type { Members } from '../testing/manifest.ts';

/** The problems of a tool with this request, which uses its inputs `id` and `file`. */
function requestProblems(request: Members): readonly string[] {
  const inputSchema = {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Id.' },
      file: { type: 'object', format: 'file', description: 'File.' },
    },
  };
  return problemsOf({ tools: [{ ...getThing, inputSchema, request }] }).map(
    ({ path, message }) => `${path} ${message}`,
  );
}

const url = '/things/{{input.id}}';
const body = { file: '{{input.file}}' };

describe('the body of a request', () => {
  it.each([
    { method: 'POST', url, body, encoding: { type: 'form', style: 'indices' } },
    { method: 'POST', url, body, encoding: { type: 'multipart' } },
    { method: 'PUT', url, body: '{{input.file}}', encoding: { type: 'raw', contentType: 'text/csv' } },
    {
      method: 'POST',
      url,
      graphql: { query: 'query T($f: F) { t(f: $f) {id}}', variables: { f: '{{input.file}}' } },
    },
    { url, query: { file: '{{input.file}}' }, queryStyles: { file: 'comma' } },
  ])('may be written in any encoding: %j', (request) => {
    expect(requestProblems(request)).toEqual([]);
  });

  it.each([
    [{ method: 'POST', url, body: '{{input.file}}', encoding: { type: 'form' } }, 'body must be an object'],
    [{ method: 'POST', url, body, encoding: { type: 'raw' } }, 'body must be a text with a template'],
    [{ url, query: body, encoding: { type: 'form' } }, 'there is no body'],
    [{ url, body, encoding: { type: 'form' } }, 'GET requests have no body'],
    [{ url, query: body, queryStyles: { x: 'comma' } }, 'queryStyles.x is no parameter'],
    [{ method: 'POST', url, body, graphql: { query: '{ t }' } }, "takes the place of 'body'"],
    [{ url, query: body, graphql: { query: '{ t }' } }, 'method must be POST'],
    [{ method: 'POST', url, graphql: { query: '{ t(f: "{{input.file}}") }' } }, 'only `variables` may'],
    [
      { method: 'POST', url, query: body, graphql: { query: '{ t }', variables: { f: 1 } } },
      'variables.f is no variable',
    ],
    [
      { method: 'POST', url, query: body, graphql: { query: 'query T($f: F) { t(f: $f) }' } },
      'declares $f, which gets no value',
    ],
  ])('fits its encoding: %j', (request, problem) => {
    expect(requestProblems(request).join('\n')).toContain(problem);
  });
});

it('a connector with a GraphQL request reads failures from `errors`, beside its own rule', () => {
  const graphql = { query: 'query T($id: ID!) { t(id: $id) { id } }', variables: { id: '{{input.id}}' } };
  const tools = [{ ...getThing, request: { method: 'POST', url: '/graphql', graphql } }];
  expect(compiled({ tools })).toMatchObject({
    success: { pointer: '/errors', values: [] },
    errorMessagePointers: ['/errors/0/message'],
  });
  const own = { pointer: '/ok', values: [true] };
  expect(compiled({ tools, success: own })).toMatchObject({ success: own });
  expect(compiled({})).not.toHaveProperty('success');
});

describe('paging', () => {
  const inBody = { method: 'POST', url: '/things', body: { after: '{{page.cursor}}' } };
  const messages = (paging: Members, request: Members): readonly string[] =>
    problemsOf({ tools: [{ ...listThings, paging, request }] }).map(({ message }) => message);

  it.each([
    { type: 'cursor', nextCursorPointer: '/next' },
    { type: 'lastId', idPointer: '/id' },
  ])('sends the cursor somewhere: %j', (paging) => {
    expect(messages(paging, inBody)).toEqual([]);
    expect(messages(paging, { url: '/things' })).toEqual([
      'has no parameter for the page, and the request no {{page.cursor}}',
    ]);
  });

  it('sends top and offset somewhere', () => {
    const body = { top: '{{page.top}}', skip: '{{page.offset}}' };
    expect(messages({ type: 'offset' }, { method: 'POST', url: '/things', body })).toEqual([]);
    expect(messages({ type: 'offset', topQuery: 'top' }, { url: '/things' })).toEqual([
      'has no parameter for the page, and the request no {{page.offset}}',
    ]);
  });

  it('sends the number of the page somewhere', () => {
    expect(messages({ type: 'page' }, { url: '/things', query: { p: '{{page.number}}' } })).toEqual([]);
    expect(messages({ type: 'page' }, { url: '/things' })).toEqual([
      'has no parameter for the page, and the request no {{page.number}}',
    ]);
  });
});

it('scopes need a method that is granted some', () => {
  const tools = [{ ...getThing, scopes: ['a', ['b', 'c']] }];
  expect(problemsOf({ tools }).map(({ message }) => message)).toEqual([
    'are granted by OAuth 2 only, which no method uses',
  ]);
  const methods = [{ ...clientCredentialsMethod, isDefault: true }];
  expect(problemsOf({ tools, kind: 'Regular', authenticationMethods: methods })).toEqual([]);
});

it.each(['http://uploads.acme.test', 'https://uploads.acme.test/x', 'https://{{field.key}}.acme.test'])(
  'a further origin is fixed and https: not %s',
  (origin) => {
    expect(problemsOf({ origins: [origin] })).not.toEqual([]);
    expect(problemsOf({ origins: ['https://uploads.acme.test'] })).toEqual([]);
  },
);
