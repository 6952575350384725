import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import {
  testCall,
  testConnector,
  testCredential,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { testRuntime, testVendor } from '@fairlead/connector-runtime/testing/vendor';
import { connectorHandlers } from '../handlers.ts';
import { operationKinds } from './operation-kinds.ts';

const connector = testConnector({
  slug: 'graphql',
  name: 'GraphQL',
  errorMessagePointers: ['/errors/0/message'],
});
const bearer = testMethod({ type: 'bearer', token: '{{field.token}}' });

function call(handler: string, endpoint: string, fields: JsonObject): Promise<ToolOutcome> {
  const tool = testTool({ type: 'handler', handler });
  const credential = testCredential({ endpoint, token: 't-1' });
  return testRuntime(connectorHandlers).execute(
    testCall(tool, { connector, method: bearer, credential, fields }),
    testOptions(),
  );
}

it('sends the query with its variables and the credential, and returns data with the errors of parts', async () => {
  const answer = { data: { user: null }, errors: [{ message: 'gone', path: ['user'] }] };
  const { server } = await testVendor(() => ({ body: answer }));
  const query = 'query User($id: ID!) { user(id: $id) { name } }';
  const outcome = await call('runQuery', `${server.url}/graphql`, {
    query,
    variables: { id: 'u1' },
    operationName: 'User',
  });
  expect(outcome).toMatchObject({ isSuccess: true, output: answer });
  const [request] = server.requests;
  expect(request).toMatchObject({
    method: 'POST',
    path: '/graphql',
    headers: { authorization: 'Bearer t-1' },
  });
  expect(JSON.parse(request?.body ?? '')).toEqual({ query, variables: { id: 'u1' }, operationName: 'User' });
});

it.each([
  [{ body: { errors: [{ message: 'No such field.' }] } }, 'No such field.'],
  [{ status: 400, body: { errors: [{ message: 'Syntax error.' }] } }, 'Syntax error.'],
  [{ status: 500, body: 'oops' }, '500'],
  [{ status: 401, body: {} }, '401'],
])('an operation without data fails in the words of the endpoint: %j', async (response, text) => {
  const { server } = await testVendor(() => response);
  expect(await call('runMutation', server.url, { query: 'mutation { a }' })).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining(text) as string,
  });
});

it.each([
  ['runQuery', 'mutation { a }'],
  ['runQuery', 'query A { a } mutation B { b }'],
  ['runQuery', 'subscription { a }'],
  ['runMutation', '{ a }'],
])('%s refuses %s before anything is sent', async (handler, query) => {
  const { server } = await testVendor(() => ({ body: { data: {} } }));
  expect(await call(handler, server.url, { query })).toMatchObject({
    isSuccess: false,
    inputIssues: [{ field: 'fields.query' }],
  });
  expect(server.requests).toEqual([]);
});

describe('the kinds of operations', () => {
  it.each([
    ['{ a }', ['query']],
    ['query { mutation }', ['query']],
    [
      '\uFEFF # mutation {\nquery($a: In = {x: [1, {y: 2}]}) @d(b: {c: "}"}) { a(b: "mutation { x }") }',
      ['query'],
    ],
    ['fragment mutation on T { a } query { ...mutation }', ['query']],
    ['query A { a(b: """ { " \\""" mutation """) } mutation B { b }', ['query', 'mutation']],
    ['subscription { a { b } }', ['subscription']],
  ])('%j has %j', (document, kinds) => {
    expect(operationKinds(document)).toEqual(kinds);
  });

  it.each([
    '',
    '# only this',
    'query A',
    'type T { a: Int }',
    'query { a } }',
    'fragment F on T { a }',
    '{ a "',
  ])('%j is no document of operations', (document) => {
    expect(() => operationKinds(document)).toThrow('The document');
  });
});

it('describes a type with its fields as GraphQL writes their types', async () => {
  const named = { name: 'User', kind: 'OBJECT', ofType: null };
  const type = {
    kind: 'NON_NULL',
    name: null,
    ofType: { kind: 'LIST', name: null, ofType: { kind: 'NON_NULL', name: null, ofType: named } },
  };
  const fields = [{ name: 'users', args: [{ name: 'of', type: named }], type }];
  const described = {
    name: 'Query',
    kind: 'OBJECT',
    fields,
    inputFields: null,
    enumValues: null,
    possibleTypes: null,
  };
  const { server } = await testVendor(() => ({ body: { data: { __type: described } } }));
  expect(await call('describeType', server.url, { name: 'Query' })).toMatchObject({
    output: {
      name: 'Query',
      fields: [{ name: 'users', type: '[User!]!', args: [{ name: 'of', type: 'User' }] }],
    },
  });
  const { server: hiding } = await testVendor(() => ({ body: { data: { __type: null } } }));
  expect(await call('describeType', hiding.url, { name: 'X' })).toMatchObject({ isSuccess: false });
});

it('lists the types without those of introspection', async () => {
  const types = [
    { name: 'User', kind: 'OBJECT' },
    { name: '__Type', kind: 'OBJECT' },
  ];
  const schema = { queryType: { name: 'Query' }, mutationType: null, types };
  const { server } = await testVendor(() => ({ body: { data: { __schema: schema } } }));
  expect(await call('listTypes', server.url, {})).toMatchObject({
    output: { items: [{ name: 'User' }], queryType: 'Query', mutationType: null },
  });
});
