import { afterAll, afterEach, expect, it } from 'vitest';
import { testEgress, testOptions } from '../testing/calls.ts';
import { startDeadline } from '../deadline.ts';
import { startTestServer } from '../testing/http-server.ts';
import type { TestResponse, TestServer } from '../testing/http-server.ts';
import { discoverAuthorizationServer } from './authorization-server.ts';
import type { McpAuthorizationServer } from './authorization-server.ts';

const egress = testEgress();
const open: TestServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => egress.close());

type Routes = Readonly<Record<string, unknown>>;
const UNAUTHORIZED = { status: 401 };

/** Starts a server that serves these documents by path. A function gets the server's address and returns the document. */
async function serve(routes: (origin: string) => Routes): Promise<TestServer> {
  let known: Routes = {};
  const server = await startTestServer(({ path, method }) => {
    const route = known[`${method} ${path}`] ?? known[path];
    if (route === undefined) return { status: 404 };
    const response = route as TestResponse; // each test writes one property only
    return 'status' in response || 'headers' in response ? response : { body: route };
  });
  known = routes(server.url);
  open.push(server);
  return server;
}

function discover(serverUrl: string): Promise<McpAuthorizationServer> {
  const call = { egress, accountId: 'a', deadline: startDeadline(testOptions({ timeoutMs: 5_000 })) };
  return discoverAuthorizationServer(call, new URL(serverUrl));
}

const metadata = (issuer: string, members: object = {}): object => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ['S256'],
  response_types_supported: ['code'],
  ...members,
});
const AT_ROOT = '/.well-known/oauth-protected-resource';
const AS = '/.well-known/oauth-authorization-server';
const resourceOf = (origin: string, members: object = {}): object => ({
  resource: `${origin}/mcp`,
  authorization_servers: [origin],
  ...members,
});

it('follows the address in the challenge, whose scopes come before those of the metadata', async () => {
  const { url } = await serve((origin) => ({
    '/mcp': {
      status: 401,
      headers: {
        'www-authenticate': `Bearer error="x", resource_metadata="${origin}/meta", scope="files:read files:write"`,
      },
    },
    '/meta': resourceOf(origin, { scopes_supported: ['all'] }),
    [AS]: metadata(origin, {
      registration_endpoint: `${origin}/register`,
      scopes_supported: ['offline_access'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    }),
  }));
  expect(await discover(`${url}/mcp`)).toEqual({
    issuer: url,
    authorizationUrl: `${url}/authorize`,
    tokenUrl: `${url}/token`,
    registrationUrl: `${url}/register`,
    revocationUrl: null,
    statesIssuer: true,
    takesClientDocuments: true,
    clientAuthentications: ['client_secret_basic'],
    resource: `${url}/mcp`,
    scopes: ['files:read', 'files:write', 'offline_access'],
  });
});

it.each([
  ['at the path of the server', `${AT_ROOT}/mcp`, AS, ''],
  ['at the root', AT_ROOT, AS, ''],
  ['of an issuer with a path', AT_ROOT, `${AS}/tenant`, '/tenant'],
  ['of OpenID Connect with a path', AT_ROOT, '/.well-known/openid-configuration/tenant', '/tenant'],
  ['of OpenID Connect below the path', AT_ROOT, '/tenant/.well-known/openid-configuration', '/tenant'],
])('finds metadata %s', async (_name, resourcePath, serverPath, tenant) => {
  const { url } = await serve((origin) => ({
    '/mcp': UNAUTHORIZED,
    [resourcePath]: resourceOf(origin, { authorization_servers: [origin + tenant] }),
    [serverPath]: metadata(origin + tenant),
  }));
  expect(await discover(`${url}/mcp`)).toMatchObject({
    issuer: url + tenant,
    resource: `${url}/mcp`,
    scopes: [],
  });
});

it('hears the challenge of a server that admits a handshake from anyone', async () => {
  const server = await startTestServer(({ path, body }) => {
    if (path === '/mcp')
      return body.includes('"initialize"')
        ? { status: 200, body: {} }
        : { status: 401, headers: { 'www-authenticate': 'Bearer scope="files:read"' } };
    const page = { [AT_ROOT]: resourceOf(server.url), [AS]: metadata(server.url) }[path];
    return page === undefined ? { status: 404 } : { body: page };
  });
  open.push(server);
  expect(await discover(`${server.url}/mcp`)).toMatchObject({ scopes: ['files:read'] });
});

it('takes a page of another origin from a server that names itself in each response', async () => {
  const { url } = await serve((origin) => ({
    '/mcp': UNAUTHORIZED,
    [AT_ROOT]: resourceOf(origin),
    [AS]: metadata(origin, {
      authorization_endpoint: 'https://login.example/authorize',
      authorization_response_iss_parameter_supported: true,
    }),
  }));
  expect(await discover(`${url}/mcp`)).toMatchObject({
    authorizationUrl: 'https://login.example/authorize',
    statesIssuer: true,
  });
});

it('takes a server without metadata of its own for its authorization server, as MCP 2025-03-26 did', async () => {
  const described = await serve((origin) => ({ '/mcp': UNAUTHORIZED, [AS]: metadata(origin) }));
  expect(await discover(`${described.url}/mcp`)).toMatchObject({ issuer: described.url, resource: null });
  const bare = await serve(() => ({ '/mcp': UNAUTHORIZED }));
  expect(await discover(`${bare.url}/mcp`)).toMatchObject({
    authorizationUrl: `${bare.url}/authorize`,
    tokenUrl: `${bare.url}/token`,
    registrationUrl: `${bare.url}/register`,
  });
  const open = await serve(() => ({ '/mcp': { result: {} } }));
  await expect(discover(`${open.url}/mcp`)).rejects.toThrow('does not ask for a sign-in');
});

it.each<[string, (origin: string) => Routes, string]>([
  [
    'a resource of another origin',
    () => ({ [AT_ROOT]: { resource: 'https://bank.example/mcp', authorization_servers: [] } }),
    'about another resource: https://bank.example/mcp',
  ],
  [
    'a resource beside the server',
    (origin) => ({ [AT_ROOT]: resourceOf(origin, { resource: `${origin}/mc` }) }),
    'about another resource',
  ],
  [
    'a resource that would be a template',
    (origin) => ({
      [AT_ROOT]: resourceOf(origin, { resource: `${origin}/mcp?{{field.clientSecret}}` }),
    }),
    'The resource of the MCP server must not contain',
  ],
  ['no authorization server', (origin) => ({ [AT_ROOT]: { resource: origin } }), 'no authorization server'],
  [
    'an issuer without TLS',
    (origin) => ({ [AT_ROOT]: resourceOf(origin, { authorization_servers: ['http://as.example'] }) }),
    'The issuer must be an https URL.',
  ],
  [
    'an issuer that is no URL',
    (origin) => ({ [AT_ROOT]: resourceOf(origin, { authorization_servers: ['as'] }) }),
    'The issuer is not a URL.',
  ],
  [
    'an issuer that is described as another one',
    (origin) => ({ [AT_ROOT]: resourceOf(origin), [AS]: metadata('https://bank.example') }),
    'names another issuer',
  ],
  ['an issuer that is not described', (origin) => ({ [AT_ROOT]: resourceOf(origin) }), 'has no metadata'],
  ...(
    [
      ['javascript:alert(1)', 'must be an https URL'],
      ['http://as.example/authorize', 'must be an https URL'],
      ['data:text/html,x', 'must be an https URL'],
      ['https://user:x@as.example/', 'must not contain a user name'],
      ['https://as.example/?{{field.token}}', 'must not contain "{{"'],
      [{ toString: 'x' }, 'is not a URL'],
      [`https://as.example/${'x'.repeat(3_000)}`, 'is not a URL'],
    ] as const
  ).map(([endpoint, says]): [string, (origin: string) => Routes, string] => [
    `an authorization endpoint ${JSON.stringify(endpoint).slice(0, 40)}`,
    (origin) => ({
      [AT_ROOT]: resourceOf(origin),
      [AS]: metadata(origin, { authorization_endpoint: endpoint }),
    }),
    `The authorization_endpoint ${says}`,
  ]),
  [
    'an attacker that sends people to the page of an honest server, for a code that is redeemed at its own',
    (origin) => ({
      [AT_ROOT]: resourceOf(origin),
      [AS]: metadata(origin, { authorization_endpoint: 'https://bank.example/authorize' }),
    }),
    'The authorization_endpoint must have the origin of the issuer.',
  ],
  [
    'a token endpoint without TLS',
    (origin) => ({
      [AT_ROOT]: resourceOf(origin),
      [AS]: metadata(origin, { token_endpoint: 'http://as.example/token' }),
    }),
    'The token_endpoint must be an https URL.',
  ],
  [
    'a server without PKCE',
    (origin) => ({
      [AT_ROOT]: resourceOf(origin),
      [AS]: metadata(origin, { code_challenge_methods_supported: ['plain'] }),
    }),
    'does not support PKCE',
  ],
  [
    'a server that does not say whether it supports PKCE',
    (origin) => ({
      [AT_ROOT]: resourceOf(origin),
      [AS]: metadata(origin, { code_challenge_methods_supported: undefined }),
    }),
    'does not support PKCE',
  ],
  [
    'a document above the limit',
    () => ({ [AT_ROOT]: { headers: { 'content-type': 'application/json' }, body: ' '.repeat(200_000) } }),
    'larger than',
  ],
  [
    'a document that nests too deep',
    () => ({
      [AT_ROOT]: { headers: { 'content-type': 'application/json' }, body: '['.repeat(1_000) },
    }),
    'deeper than',
  ],
  [
    'redirects without an end',
    () => ({ [AT_ROOT]: { status: 307, headers: { location: AT_ROOT } } }),
    'redirect',
  ],
  [
    'a redirect to another origin',
    () => ({ [AT_ROOT]: { status: 307, headers: { location: 'http://127.0.0.1:1/' } } }),
    'redirect',
  ],
  ['a failure', () => ({ [AT_ROOT]: { status: 503 } }), 'HTTP status 503'],
  [
    'metadata of the inner network',
    () => ({
      '/mcp': {
        status: 401,
        headers: { 'www-authenticate': 'Bearer resource_metadata="http://169.254.169.254/latest"' },
      },
    }),
    'not allowed',
  ],
])('refuses %s', async (_name, routes, says) => {
  const { url } = await serve((origin) => ({ '/mcp': UNAUTHORIZED, ...routes(origin) }));
  await expect(discover(`${url}/mcp`)).rejects.toThrow(says);
});
