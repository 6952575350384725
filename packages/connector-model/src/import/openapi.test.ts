import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { isDeeperThan } from '../limits.ts';
import { compiledImport, importedSource, problemsOfImport } from '../testing/imported.ts';
import { readOpenApi } from './openapi.ts';

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const json = (schema: JsonObject): JsonObject => ({ content: { 'application/json': { schema } } });

/** An OpenAPI document for tests: a pet vendor. */
const openapi = {
  openapi: '3.0.3',
  servers: [{ url: 'https://api.acme.test/v2/' }],
  security: [{ oauth: ['pets.read'] }],
  paths: {
    '/pets': {
      get: {
        operationId: 'pets/list',
        parameters: [
          { name: 'tag', in: 'query', schema: { type: 'string' }, description: 'The tag.' },
          { name: 'per_page', in: 'query', schema: { type: 'integer', maximum: 50 } },
          { $ref: '#/components/parameters/page' },
        ],
        responses: { '200': json({ type: 'array', items: { $ref: '#/components/schemas/Pet' } }) },
      },
      post: {
        operationId: 'pets/create',
        requestBody: { $ref: '#/components/requestBodies/pet' },
        responses: { '201': { $ref: '#/components/responses/pet' } },
        security: [{ oauth: ['pets.write'] }, { oauth: ['admin'] }],
      },
    },
    '/pets/{id}': {
      parameters: [id],
      get: { operationId: 'pets/get', responses: { '200': { description: 'Not described.' } } },
      delete: { responses: { '204': { description: 'Gone.' } } },
      put: {
        operationId: 'pets/replace',
        deprecated: true,
        requestBody: { content: { 'text/csv': { schema: { type: 'object' } } } },
        responses: { default: json({ type: 'string' }) },
      },
    },
    '/pets/{id}/payments': {
      post: {
        operationId: 'pets/pay',
        parameters: [
          id,
          { name: 'ids', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
          { name: 'where', in: 'query', style: 'deepObject', schema: { type: 'object' } },
        ],
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } },
              encoding: { tags: { style: 'deepObject', explode: true } },
            },
          },
        },
        responses: { '204': { description: 'Paid.' } },
      },
    },
    '/owners/{id}/pets': {
      get: {
        operationId: 'owners/pets',
        parameters: [
          { ...id, schema: { type: 'integer' } },
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          { name: 'offset', in: 'query', schema: { type: 'integer' } },
          { name: 'ids', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
        ],
        responses: {
          '200': json({
            properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Pet' } }, total: {} },
          }),
        },
      },
    },
  },
  components: {
    parameters: { page: { name: 'page', in: 'query', schema: { type: 'integer' } } },
    requestBodies: { pet: json({ $ref: '#/components/schemas/Pet' }) },
    responses: { pet: json({ $ref: '#/components/schemas/Pet' }) },
    schemas: {
      Pet: {
        type: 'object',
        required: ['name'],
        properties: {
          id: { type: 'string', readOnly: true },
          name: { type: 'string', nullable: true },
          parent: { $ref: '#/components/schemas/Pet' },
        },
      },
    },
  },
} satisfies JsonObject;

/** The same vendor in Swagger 2.0. */
const swagger = {
  swagger: '2.0',
  schemes: ['https'],
  host: 'api.acme.test',
  basePath: '/v1',
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [
          { name: 'ids', in: 'query', type: 'array', items: { type: 'string' } },
          { name: 'tags', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'multi' },
        ],
        responses: { '200': { schema: { type: 'array', items: { $ref: '#/definitions/Pet' } } } },
      },
      post: {
        operationId: 'addPet',
        parameters: [{ name: 'body', in: 'body', schema: { $ref: '#/definitions/Pet' } }],
        responses: { '201': { schema: { $ref: '#/definitions/Pet' } } },
      },
    },
    '/pets/{id}/photo': {
      post: {
        operationId: 'addPhoto',
        parameters: [
          { name: 'id', in: 'path', required: true, type: 'string' },
          { name: 'photo', in: 'formData', type: 'file', required: true },
          { name: 'title', in: 'formData', type: 'string' },
        ],
        responses: { '204': { description: 'Done.' } },
      },
    },
  },
  definitions: { Pet: { type: 'object', properties: { name: { type: 'string' } } } },
} satisfies JsonObject;

const tool = (operation: string, name: string, members: JsonObject = {}): JsonObject => ({
  operation,
  toolSlug: `acme-${name}`,
  description: 'A tool.',
  category: 'Pets',
  ...members,
});

const petId = { id: 'Id of the pet.' };
const operations = [
  tool('pets/list', 'list-pets', { inputs: { tag: 'Only with this tag.' }, result: ['id', 'name'] }),
  tool('pets/create', 'create-pet', { inputs: { name: 'Name.' } }),
  tool('pets/get', 'get-pet', { inputs: petId }),
  tool('DELETE /pets/{id}', 'delete-pet', { inputs: petId }),
  tool('owners/pets', 'list-pets-of-owner', { inputs: petId, items: '/data', total: '/total' }),
  tool('pets/pay', 'pay-for-pet', {
    inputs: { ...petId, tags: 'Tags.', ids: 'Ids of others.', where: 'Which ones.' },
  }),
];
const source = { ...importedSource, kind: 'openapi' };

describe('an OpenAPI document', () => {
  const { baseUrl, tools } = compiledImport({ source, operations }, openapi);
  const toolOf = (name: string) => tools.find(({ toolSlug }) => toolSlug === `acme-${name}`);

  it('has its address in its first server, unless that depends on the customer', () => {
    expect(baseUrl).toBe('https://api.acme.test/v2');
    expect(readOpenApi({ servers: [{ url: 'https://{shop}.acme.test' }] }).baseUrl).toBeUndefined();
    expect(readOpenApi({}).baseUrl).toBeUndefined();
  });

  it('makes lists, paged as their parameters say', () => {
    expect(toolOf('list-pets')).toMatchObject({
      paging: { type: 'page', sizeQuery: 'per_page', pageQuery: 'page', pageSize: 50 },
      execution: { request: { method: 'GET', url: '/pets' }, response: { type: 'list', itemsPointer: '' } },
      outputSchema: {
        properties: { items: { type: 'array', items: { properties: { id: {}, name: {} } } } },
      },
    });
    expect(toolOf('list-pets-of-owner')).toMatchObject({
      paging: { type: 'offset', topQuery: 'limit', offsetQuery: 'offset', maxTop: 100 },
      execution: { response: { type: 'list', itemsPointer: '/data', totalPointer: '/total' } },
      // The operation's parameter replaces the path's.
      inputSchema: { properties: { id: { type: 'integer' } } },
    });
  });

  it('follows references to parameters, bodies and responses', () => {
    expect(toolOf('create-pet')).toMatchObject({
      inputSchema: {
        properties: { name: { type: ['string', 'null'], description: 'Name.' } },
        required: ['name'],
      },
      outputSchema: { type: 'object', properties: { id: { type: ['string', 'null'] }, parent: {} } },
      execution: { request: { method: 'POST', body: { name: '{{input.name}}' } } },
    });
  });

  it('finds an operation without an id by its method and path; a response without a body is empty', () => {
    expect(toolOf('delete-pet')).toMatchObject({
      isDestructive: true,
      retryClass: 'idempotent',
      execution: { request: { method: 'DELETE', url: '/pets/{{input.id}}' }, response: { type: 'empty' } },
    });
  });

  it('returns whole what is not described', () => {
    expect(toolOf('get-pet')).toMatchObject({
      execution: { response: { type: 'object', pointer: '' } },
      outputSchema: { type: 'object' },
    });
  });

  it('says what is deprecated, which scopes do, and how bodies and lists are sent', () => {
    const document = readOpenApi(openapi);
    expect(document.operation('pets/replace')).toMatchObject({
      isDeprecated: true,
      bodyType: 'text/csv',
      scopes: ['pets.read'],
      response: { type: 'string' },
    });
    expect(document.operation('pets/create')?.scopes).toEqual(['pets.write', 'admin']);
    const [, , , ids] = document.operation('owners/pets')?.parameters ?? [];
    expect(ids?.style).toBe('comma');
    expect(document.operation('nope')).toBeUndefined();
    expect(document.operation('PATCH /pets')).toBeUndefined();
  });

  it('sends forms and lists as it says', () => {
    const request = toolOf('pay-for-pet')?.execution;
    expect(request).toMatchObject({
      request: {
        query: { ids: '{{input.ids}}', where: '{{input.where}}' },
        queryStyles: { ids: 'comma', where: 'brackets' },
        body: { tags: '{{input.tags}}' },
        encoding: { type: 'form', style: 'indices' },
      },
    });
    expect(toolOf('create-pet')?.execution).not.toHaveProperty('request.encoding');
  });

  it('makes the compile step refuse what cannot be sent', () => {
    const odd = tool('pets/replace', 'replace-pet', {
      inputs: { ...petId, pet: { description: 'x', from: 'body' } },
    });
    expect(problemsOfImport({ source, operations: [...operations, odd] }, openapi)).toMatchObject([
      { path: 'operations[6].operation', message: 'is deprecated by the vendor' },
      { path: 'operations[6]', message: 'a body of type text/csv cannot be sent' },
    ]);
  });

  it('has the schema of a record elsewhere, if the curation says where', () => {
    const [list, ...others] = operations;
    const curated = { ...list, result: ['name'], schema: '#/components/schemas/Pet', items: '/nowhere' };
    const made = compiledImport({ source, operations: [curated, ...others] }, openapi).tools;
    expect(made[0]).toMatchObject({
      outputSchema: { properties: { items: { items: { properties: { name: {} } } } } },
      execution: { response: { itemsPointer: '/nowhere', isTrimmed: true } },
    });
    const wrong = { ...list, schema: '#/components/schemas/None' };
    expect(problemsOfImport({ source, operations: [wrong, ...others] }, openapi)).toMatchObject([
      { path: 'operations[0].schema' },
    ]);
  });

  it('has outputs of twelve levels, wherever the record is described', () => {
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 12; level += 1) deep = { type: 'object', properties: { inner: deep } };
    const described = {
      ...openapi,
      components: { ...openapi.components, schemas: { ...openapi.components.schemas, Deep: deep } },
    };
    const [, ...others] = operations;
    const list = tool('pets/list', 'list-pets', { inputs: {} });
    const curated = { ...list, schema: '#/components/schemas/Deep', items: '/nowhere' };
    const [elsewhere] = compiledImport({ source, operations: [curated, ...others] }, described).tools;
    expect(isDeeperThan(elsewhere?.outputSchema, 12)).toBe(false);
    expect(isDeeperThan(elsewhere?.outputSchema, 10)).toBe(true);
  });
});

describe('a Swagger document', () => {
  const document = readOpenApi(swagger);

  it('has its address in host and path', () => {
    expect(document.baseUrl).toBe('https://api.acme.test/v1');
    expect(readOpenApi({ ...swagger, schemes: ['http'] }).baseUrl).toBe('http://api.acme.test/v1');
  });

  it('has the keywords of schemas beside the names of parameters', () => {
    expect(document.operation('listPets')).toMatchObject({
      parameters: [
        { name: 'ids', style: 'comma', schema: { type: 'array', items: { type: 'string' } } },
        { name: 'tags', style: 'repeat', schema: { type: 'array' } },
      ],
      response: { type: 'array' },
      list: { items: '' },
    });
  });

  it('has its body among the parameters, whole or as the fields of a form', () => {
    expect(document.operation('addPet')).toMatchObject({
      parameters: [],
      bodyType: 'json',
      body: { $ref: '#/definitions/Pet' },
    });
    expect(document.operation('addPhoto')).toMatchObject({
      parameters: [{ name: 'id', in: 'path' }],
      bodyType: 'multipart/form-data',
      body: {
        type: 'object',
        properties: { photo: { type: 'file' }, title: { type: 'string' } },
        required: ['photo'],
      },
    });
  });
});
