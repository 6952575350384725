import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import { describe, expect, test } from 'vitest';
import { OAUTH_PATH } from '@fairlead/access/resources';
import { routeTable } from '../routes/route-table.ts';
import type { ResponseObject } from '@fairlead/rest-kit/openapi/responses';
import { apiDocument } from './api-document.ts';

const document = apiDocument('https://api.test.example');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const schemasOf = ({ content = {} }: ResponseObject) => Object.values(content).map(({ schema }) => schema);

describe('the OpenAPI document', () => {
  test('it holds every route of the table, each once', () => {
    expect(operations.map(({ path, method }) => `${method} ${path}`).sort()).toEqual(
      routeTable.map((route) => `${route.method} ${route.path}`).sort(),
    );
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(routeTable.length);
  });

  // If this fails, run `npm run examples`.
  test.each(operations.map(({ operation }) => [operation.operationId, operation] as const))(
    '%s has an example of its request and its response, and three code samples',
    (_, { parameters = [], requestBody, responses, 'x-codeSamples': samples = [] }) => {
      const withoutExample = parameters
        .filter(({ required, examples }) => required && examples === undefined)
        .map(({ name }) => name);
      expect(withoutExample).toEqual([]);
      const contents = [
        requestBody,
        ...Object.entries(responses).flatMap(([status, response]) =>
          status.startsWith('2') && !('$ref' in response) ? [response] : [],
        ),
      ].flatMap((part) => (part?.content === undefined ? [] : [Object.values(part.content)]));
      for (const types of contents) expect(types.some(({ examples }) => examples !== undefined)).toBe(true);
      expect(samples.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python']);
    },
  );

  test('errors of 400, 401 and 404 have an example; the document stays below 1.2 MB', () => {
    expect(Object.keys(document.components.examples)).toEqual(
      expect.arrayContaining(['VALIDATION_ERROR', 'UNAUTHORIZED', 'NOT_FOUND']),
    );
    const text = JSON.stringify(document);
    expect(text.length).toBeLessThan(1_200_000);
    expect(text).toContain('https://api.test.example/v1/files/');
    expect(text).not.toContain('{{publicUrl}}');
  });

  test('every reference leads somewhere, and nothing shared is unused', () => {
    const text = JSON.stringify(document);
    const used = new Set(
      [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
    );
    const defined = (['schemas', 'responses', 'headers', 'examples'] as const).flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `${kind}/${name}`),
    );
    expect([...used].sort()).toEqual(defined.sort());
    expect(text).not.toContain('$defs');
  });

  test('every credential is described, and every operation takes the ones of its callers', () => {
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      bearer: { type: 'http', scheme: 'bearer' },
      oauth2: {
        flows: {
          authorizationCode: {
            authorizationUrl: `https://api.test.example${OAUTH_PATH}/authorize`,
            tokenUrl: `https://api.test.example${OAUTH_PATH}/token`,
          },
          clientCredentials: { scopes: { 'connections.read': expect.any(String) as string } },
        },
      },
      operator: { type: 'apiKey', in: 'header', name: 'x-api-key' },
    });
    expect(document.security).toEqual([{ apiKey: [] }, { bearer: [] }, { oauth2: [] }]);
    const operation = (operationId: string) =>
      operations.find((entry) => entry.operation.operationId === operationId)?.operation;
    for (const { operationId, auth, permission } of routeTable) {
      const security = {
        anonymous: [],
        operator: [{ operator: [] }],
        credential: permission && [{ apiKey: [] }, { bearer: [] }, { oauth2: [permission] }],
      }[auth];
      expect(operation(operationId)?.security, operationId).toEqual(security);
    }
    expect(operation('createConnection')?.['x-required-permission']).toBe('connections.write');
  });

  test('a 429 says when to come again, and answers of the API how the budgets stand', () => {
    const { responses } = document.components;
    const names = (headers: object | undefined) => Object.keys(headers ?? {});
    expect(names(responses['RATE_LIMIT_EXCEEDED']?.headers)).toEqual([
      'x-request-id',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
    ]);
    expect(names(responses['UNAUTHORIZED']?.headers)).toEqual(['x-request-id', 'WWW-Authenticate']);
    for (const route of routeTable) {
      const answers = document.paths[route.path]?.[route.method]?.responses ?? {};
      const success = answers[route.status];
      const isTold = route.auth === 'credential';
      expect('429' in answers, route.operationId).toBe(isTold);
      expect(success !== undefined && 'headers' in success && 'RateLimit' in success.headers).toBe(isTold);
    }
  });

  test('every POST of a known caller takes an Idempotency-Key, and nothing else does', () => {
    for (const { method, operation } of operations) {
      const key = operation.parameters?.find(({ name }) => name === 'Idempotency-Key');
      const takesKey = method === 'post' && operation.security?.length !== 0;
      expect(key?.in, operation.operationId).toBe(takesKey ? 'header' : undefined);
      expect(JSON.stringify(operation).includes('Idempotency-Replayed')).toBe(takesKey);
    }
  });

  test.each(routeTable.map((route) => [route.operationId, route] as const))(
    '%s names each code that it may answer under the code’s status',
    (operationId, route) => {
      const operation = operations.find((entry) => entry.operation.operationId === operationId)?.operation;
      const named = Object.entries(operation?.responses ?? {}).flatMap(
        ([status, response]) =>
          JSON.stringify('$ref' in response ? response.$ref : schemasOf(response))
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

  test('a list answers the envelope of its record; a body is required', () => {
    const list = document.paths['/v1/connections']?.['get']?.responses['200'];
    expect(list).toMatchObject({
      content: { 'application/json': { schema: { required: ['items', 'totalCount', 'offset', 'top'] } } },
    });
    expect(document.paths['/v1/tools/{toolSlug}/execute']?.['post']?.requestBody?.required).toBe(true);
    expect(document.paths['/v1/connections']?.['post']?.requestBody?.required).toBe(true);
  });
});
