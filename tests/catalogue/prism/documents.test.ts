import { discoveryDocument } from '@fairlead/connector-model/testing/imported';
import { describe, expect, it } from 'vitest';
import { discoveryAsOpenApi } from './discovery-openapi.ts';
import { findOperation, pruneOpenApi } from './prune-openapi.ts';

const schemas = {
  Thing: {
    type: 'object',
    properties: {
      owner: { $ref: '#/components/schemas/Person' },
      unsent: { $ref: '#/components/schemas/Unused' },
    },
  },
  Person: { type: 'object', properties: { boss: { $ref: '#/components/schemas/Person' } } },
  Unused: { type: 'string' },
};
const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } };
const document = {
  openapi: '3.0.0',
  paths: {
    '/things/{id}': {
      parameters: [{ $ref: '#/components/parameters/a~1b' }],
      put: { operationId: 'putThing', security: [{ key: [] }], requestBody: body, responses: { 404: {} } },
      get: { operationId: 'getThing', responses: {} },
    },
    '/others': {
      get: {
        operationId: 'listOthers',
        parameters: [{ $ref: '#/paths/~1more/get/parameters/0' }],
        responses: {},
      },
    },
    '/more': { get: { operationId: 'listMore', parameters: [{ name: 'page', in: 'query' }] } },
  },
  components: { schemas, parameters: { 'a/b': { name: 'id', in: 'path' } }, securitySchemes: { key: {} } },
};

/** Names of the sent members. */
const NAMES = new Set(['owner', 'boss']);

describe('a pruned description', () => {
  it('has the chosen operations and what they refer to, and asks for no sign-in', () => {
    const place = findOperation(document, 'PUT /things/{id}');
    expect(place).toEqual({ method: 'PUT', path: '/things/{id}' });
    expect(findOperation(document, 'putThing')).toEqual(place);
    expect(findOperation(document, 'gone')).toBeUndefined();
    const { paths, components } = pruneOpenApi(document, place === undefined ? [] : [place], NAMES);
    expect(paths).toEqual({
      '/things/{id}': {
        parameters: [{ $ref: '#/components/parameters/a~1b' }],
        put: { operationId: 'putThing', requestBody: body, responses: { 200: { description: 'Success.' } } },
      },
    });
    const { Person } = schemas;
    const Thing = { type: 'object', properties: { owner: { $ref: '#/components/schemas/Person' } } };
    expect(components).toEqual({
      schemas: { Thing, Person },
      parameters: { 'a/b': { name: 'id', in: 'path' } },
    });
  });

  it('has the parts of other operations to which it refers', () => {
    expect(pruneOpenApi(document, [{ method: 'GET', path: '/others' }], NAMES)['paths']).toMatchObject({
      '/others': { get: { parameters: [{ name: 'page', in: 'query' }] } },
    });
  });

  it('refuses a reference that leads nowhere', () => {
    const broken = { ...document, components: {} };
    expect(() => pruneOpenApi(broken, [{ method: 'PUT', path: '/things/{id}' }], NAMES)).toThrow(
      'the description has no #/components/parameters/a~1b',
    );
  });
});

it('a discovery document becomes OpenAPI whose bodies are closed', () => {
  const converted = discoveryAsOpenApi(discoveryDocument);
  expect(findOperation(converted, 'acme.tasks.list')).toEqual({
    method: 'GET',
    path: '/lists/{listId}/tasks',
  });
  expect(converted).toMatchObject({
    paths: {
      '/lists/{listId}/tasks': {
        get: {
          parameters: expect.arrayContaining([
            { name: 'listId', in: 'path', required: true, schema: { type: 'string' } },
            {
              name: 'state',
              in: 'query',
              required: false,
              schema: { type: 'array', items: { type: 'string', enum: ['open', 'done'] } },
            },
            { name: 'maxResults', in: 'query', required: false, schema: { type: 'integer', maximum: 50 } },
          ]) as unknown,
        },
      },
    },
    components: {
      schemas: {
        Task: {
          additionalProperties: false,
          properties: { due: { $ref: '#/components/schemas/Moment' }, priority: { minimum: 1, maximum: 5 } },
        },
      },
    },
  });
});
