import { afterAll, expect, it } from 'vitest';
import { testEgress, testOptions } from '../testing/calls.ts';
import { startDeadline } from '../deadline.ts';
import { startTestServer } from '../testing/http-server.ts';
import type { TestResponse } from '../testing/http-server.ts';
import type { McpAuthorizationServer } from './authorization-server.ts';
import { registerClient } from './client-registration.ts';
import type { RegisteredClient } from './client-registration.ts';

const egress = testEgress();
afterAll(() => egress.close());
const NOW = new Date('2026-01-01T00:00:00Z');
const REDIRECT_URI = 'http://127.0.0.1:8080/connect/callback';

async function register(
  answer: TestResponse,
  parts: Partial<McpAuthorizationServer> = {},
): Promise<{ client: Promise<RegisteredClient>; sent: unknown }> {
  const server = await startTestServer(() => answer);
  const described: McpAuthorizationServer = {
    issuer: server.url,
    authorizationUrl: `${server.url}/authorize`,
    tokenUrl: `${server.url}/token`,
    registrationUrl: `${server.url}/register`,
    revocationUrl: null,
    statesIssuer: false,
    takesClientDocuments: false,
    clientAuthentications: ['none', 'client_secret_basic'],
    resource: null,
    scopes: ['files:read'],
    ...parts,
  };
  const call = { egress, accountId: 'a', deadline: startDeadline(testOptions()) };
  const client = registerClient(call, described, REDIRECT_URI, NOW);
  await client.catch(() => undefined);
  await server.close();
  const [request] = server.requests;
  return { client, sent: request && (JSON.parse(request.body) as unknown) };
}

it('registers a confidential client where the server takes one', async () => {
  const { client, sent } = await register({
    status: 201,
    body: { client_id: 'c', client_secret: 's', client_secret_expires_at: NOW.getTime() / 1000 + 60 },
  });
  expect(sent).toEqual({
    client_name: 'Fairlead',
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
    application_type: 'native',
    scope: 'files:read',
  });
  expect(await client).toEqual({
    clientId: 'c',
    clientSecret: 's',
    clientAuthentication: 'basic',
    expiresAt: new Date(NOW.getTime() + 60_000),
  });
});

it('authenticates as the server has registered it, whatever was asked', async () => {
  const { client } = await register({
    status: 201,
    body: { client_id: 'c', client_secret: 's', token_endpoint_auth_method: 'client_secret_post' },
  });
  expect(await client).toMatchObject({ clientAuthentication: 'body', expiresAt: null });
  const open = await register(
    { status: 201, body: { client_id: 'c', token_endpoint_auth_method: 'none' } },
    { clientAuthentications: ['none'] },
  );
  expect(await open.client).toMatchObject({ clientSecret: '', clientAuthentication: 'none' });
});

it.each<[string, TestResponse, Partial<McpAuthorizationServer>, string]>([
  ['no registrations', {}, { registrationUrl: null }, 'takes no registrations'],
  ['only keys', {}, { clientAuthentications: ['private_key_jwt'] }, 'prove themselves with keys'],
  [
    'a refusal',
    { status: 400, body: { error: 'invalid_redirect_uri', error_description: 'not here' } },
    {},
    'refused to register a client: not here',
  ],
  ['a page', { status: 200, body: '<html>' }, {}, 'HTTP status 200'],
  ['no client id', { status: 201, body: { client_id: 5 } }, {}, 'HTTP status 201'],
  ['an endless client id', { status: 201, body: { client_id: 'x'.repeat(3_000) } }, {}, 'no valid length'],
  ['no secret', { status: 201, body: { client_id: 'c' } }, {}, 'cannot authenticate'],
  [
    'an unknown authentication',
    { status: 201, body: { client_id: 'c', client_secret: 's', token_endpoint_auth_method: 'toString' } },
    {},
    'cannot authenticate',
  ],
])('fails clearly where the server answers with %s', async (_name, answer, parts, says) => {
  const { client } = await register(answer, parts);
  await expect(client).rejects.toThrow(says);
});
