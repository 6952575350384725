import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import { describe, expect, test } from 'vitest';
import { routeTable } from '../routes/route-table.ts';
import { openApiDocument } from './document.ts';

const document = openApiDocument(routeTable, 'https://api.test.example');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document', () => {
  test('it holds every route of the table, each once', () => {
    expect(operations.map(({ path, method }) => `${method} ${path}`).sort()).toEqual(
      routeTable.map((route) => `${route.method} ${route.path}`).sort(),
    );
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(routeTable.length);
  });

  test('every reference leads somewhere, and nothing shared is unused', () => {
    const text = JSON.stringify(document);
    const used = new Set(
      [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
    );
    const defined = (['schemas', 'responses', 'headers'] as const).flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `${kind}/${name}`),
    );
    expect([...used].sort()).toEqual(defined.sort());
    expect(text).not.toContain('$defs');
  });

  test('both credentials are described, and every operation of the API takes them', () => {
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      bearer: { type: 'http', scheme: 'bearer' },
    });
    expect(document.security).toEqual([{ apiKey: [] }, { bearer: [] }]);
    expect(operations.filter(({ operation }) => operation.security !== undefined)).toEqual([]);
  });

  test.each(routeTable.map((route) => [route.operationId, route] as const))(
    '%s names each code that it may answer under the code’s status',
    (operationId, route) => {
      const operation = operations.find((entry) => entry.operation.operationId === operationId)?.operation;
      const named = Object.entries(operation?.responses ?? {}).flatMap(
        ([status, response]) =>
          JSON.stringify(response)
            .match(/[A-Z]{2}[A-Z_]+/g)
            ?.map((code) => `${status} ${code}`) ?? [],
      );
      const withoutBody = route.method === 'get' ? ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : [];
      const expected = route.errors
        .filter((code) => !withoutBody.includes(code))
        .map((code) => `${ERROR_CATALOGUE[code].http} ${code}`);
      expect([...new Set(named)].sort()).toEqual(expected.sort());
    },
  );

  test('parameters keep their types, ranges and accepted values', () => {
    const parameters = document.paths['/v1/applications']?.['get']?.parameters ?? [];
    const byName = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]));
    expect(byName['kind']?.schema).toEqual({ type: 'string', enum: ['Regular', 'Key', 'MCPClient'] });
    expect(byName['available']?.schema).toEqual({ type: 'boolean' });
    expect(byName['top']).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 100 },
    });
  });

  test('a list answers the envelope of its record; a body that may be left out is not required', () => {
    const list = document.paths['/v1/connections']?.['get']?.responses['200'];
    expect(list).toMatchObject({
      content: { 'application/json': { schema: { required: ['items', 'totalCount', 'offset', 'top'] } } },
    });
    expect(document.paths['/v1/tools/{toolSlug}/execute']?.['post']?.requestBody?.required).toBe(false);
    expect(document.paths['/v1/connections']?.['post']?.requestBody?.required).toBe(true);
  });
});
