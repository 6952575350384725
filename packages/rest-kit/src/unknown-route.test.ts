import { expect, test } from 'vitest';
import { createUnknownRoute } from './unknown-route.ts';

const unknownRoute = createUnknownRoute(
  [
    { method: 'get', path: '/v1/tools' },
    { method: 'get', path: '/v1/tools/{toolSlug}' },
    { method: 'post', path: '/v1/tools/{toolSlug}/execute' },
    { method: 'get', path: '/v1/connections/{id}' },
    { method: 'put', path: '/v1/connections/{id}' },
    { method: 'put', path: '/v1/connections/{id}/default' },
    { method: 'get', path: '/v1/triggers/destinations' },
    { method: 'post', path: '/v1/triggers/destinations' },
    { method: 'get', path: '/admin/v1/users' },
  ],
  '/openapi.json',
);

test.each([
  ['GET', '/v1/tool', 'GET /v1/tools'],
  ['GET', '/v1/tools/', 'GET /v1/tools'],
  ['GET', '/V1/Tools', 'GET /v1/tools'],
  ['GET', '/tools/crm-list', 'GET /v1/tools/{toolSlug}'],
  ['POST', '/v1/tools/crm-list/run', 'POST /v1/tools/{toolSlug}/execute'],
  ['POST', '/v1/tool/crm-list/execute', 'POST /v1/tools/{toolSlug}/execute'],
  ['POST', '/v1/destinations', 'POST /v1/triggers/destinations'],
  ['DELETE', '/destinations', 'GET or POST /v1/triggers/destinations'],
  ['GET', '/v1/users', 'GET /admin/v1/users'],
  ['GET', '/v1/connection/12', 'GET /v1/connections/{id}'],
  ['PUT', '/connections/12/default', 'PUT /v1/connections/{id}/default'],
  ['DELETE', '/v1/connection/12', 'GET or PUT /v1/connections/{id}'],
  ['PUT', '/v1/connections/12/defualt', 'PUT /v1/connections/{id}/default'],
])('%s %s names %s', (method, path, nearest) => {
  expect(unknownRoute({ method, path })).toMatchObject({
    code: 'NOT_FOUND',
    message: `The route does not exist. Did you mean ${nearest}?`,
  });
});

test.each(['/', '/wp-login.php', '/v1/something-else-altogether', `/v1/tools${'/'.repeat(200)}`])(
  '%s is near none: the error says where all are described',
  (path) => {
    expect(unknownRoute({ method: 'GET', path }).message).toBe(
      'The route does not exist. GET /openapi.json describes every route.',
    );
  },
);
