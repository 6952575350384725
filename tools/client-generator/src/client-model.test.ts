import type { OpenApiDocument, OperationObject } from '@fairlead/rest-kit/openapi/document';
import { describe, expect, it } from 'vitest';
import { clientModel } from './client-model.ts';
import { currentDocument } from './generate.ts';
import { pythonResources } from './python-client.ts';
import { typescriptClient } from './typescript-client.ts';

const answer = (schema: Record<string, unknown>): OperationObject['responses'] => ({
  200: { description: 'Done.', headers: {}, content: { 'application/json': { schema } } },
});
const none: ReadonlySet<string> = new Set();
const item = { $ref: '#/components/schemas/Thing' };
const integer = { type: 'integer' };
const list = answer({
  type: 'object',
  properties: { items: { type: 'array', items: item }, totalCount: integer, offset: integer, top: integer },
});

function documentOf(
  operations: Record<string, Record<string, Partial<OperationObject>>>,
  tag = 'On-prem things',
): OpenApiDocument {
  const paths = Object.fromEntries(
    Object.entries(operations).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          { operationId: 'x', summary: 'Do', tags: [tag], responses: answer(item), ...operation },
        ]),
      ),
    ]),
  );
  const document = currentDocument();
  return {
    ...document,
    tags: [{ name: tag, description: 'Things.' }],
    paths,
    components: {
      ...document.components,
      schemas: { Thing: { type: 'object', properties: { id: integer } } },
    },
  };
}

describe('methods', () => {
  it.each([
    ['listOnPremThings', 'list'],
    ['getOnPremThing', 'get'],
    ['setDefaultOnPremThing', 'setDefault'],
    ['listOnPremThingParts', 'listParts'],
    ['rotateToken', 'rotateToken'],
    ['onPremThings', 'onPremThings'],
  ])('%s is called %s: the resource says the noun', (operationId, name) => {
    const { resources } = clientModel(documentOf({ '/v1/things': { get: { operationId } } }), none);
    expect(resources).toMatchObject([
      { className: 'OnPremThings', property: 'onPremThings', operations: [{ name }] },
    ]);
  });

  it('two methods with one name are refused', () => {
    const twice = {
      '/v1/things': { get: { operationId: 'listOnPremThings' } },
      '/v1/things/all': { get: { operationId: 'list' } },
    };
    expect(() => clientModel(documentOf(twice), none)).toThrow('two operations that would be called list');
  });

  it('a name that is in the query and in the body is refused: clients take both in one object', () => {
    const operation = {
      operationId: 'createOnPremThing',
      parameters: [{ name: 'id', in: 'query' as const, required: false, schema: integer }],
      requestBody: { required: true, content: { 'application/json': { schema: item } } },
    };
    expect(() => clientModel(documentOf({ '/v1/things': { post: operation } }), none)).toThrow(
      'id is in the query',
    );
  });
});

describe('clients', () => {
  const model = clientModel(
    documentOf({
      '/v1/things': {
        get: {
          operationId: 'listOnPremThings',
          responses: list,
          parameters: [
            { name: 'from', in: 'query', required: false, schema: { type: 'string' } },
            { name: 'offset', in: 'query', required: false, schema: integer },
          ],
        },
      },
      '/v1/things/{thingId}': {
        get: {
          operationId: 'getOnPremThing',
          description: 'Ends */ here.',
          parameters: [{ name: 'thingId', in: 'path', required: true, schema: integer }],
          responses: answer({ anyOf: [item, { type: 'null' }] }),
        },
        delete: {
          operationId: 'deleteOnPremThing',
          parameters: [{ name: 'thingId', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 204: { description: 'Done; no content.', headers: {} } },
        },
      },
    }),
    new Set(['getOnPremThing']),
  );

  it('TypeScript: path parameters in order, an iterator for a list, null where it may come', async () => {
    const files = await typescriptClient(model);
    const resources = files.get('resources.ts') ?? '';
    expect(resources).toContain(
      'list(params: ListOnPremThingsQuery = {}, options: RequestOptions = {}): Promise<Page<Thing>>',
    );
    expect(resources).toContain('AsyncGenerator<Thing, void, undefined>');
    expect(resources).toContain('get(thingId: number, options: RequestOptions = {}): Promise<Thing | null>');
    expect(resources).toContain(
      'getStream(thingId: number, options: RequestOptions = {}): Promise<ReadableStream<Uint8Array>>',
    );
    expect(resources).toContain('delete(thingId: string, options: RequestOptions = {}): Promise<void>');
    expect(resources).toContain('path: `/v1/things/${segment(thingId)}`');
    expect(resources).toContain('Ends * / here.');
    expect(files.get('types.ts')).toContain("export type Thing = components['schemas']['Thing'];");
  });

  it('Python: words with underscores, keywords kept apart, the next page by its offset', () => {
    const resources = pythonResources(model);
    expect(resources).toContain('self.on_prem_things = OnPremThings(transport)');
    expect(resources).toContain('from_: str | None = None');
    expect(resources).toContain('"from": from_,');
    expect(resources).toContain('lambda start: self.list(from_=from_, offset=start, options=options)');
    expect(resources).toContain(') -> types.Thing | None:');
    expect(resources).toContain('f"/v1/things/{segment(thing_id)}"');
  });
});

it('every code that an operation names is known to the clients', () => {
  expect(clientModel(currentDocument(), none).errorCodes).toEqual(
    expect.arrayContaining(['NOT_FOUND', 'VALIDATION_ERROR', 'AMBIGUOUS_TOOL', 'UNAVAILABLE']),
  );
});
