import net from 'node:net';
import { once } from 'node:events';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { compileConnectors } from '@fairlead/connector-model/compile';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { Connector, OAuth2Scheme } from '@fairlead/connector-model/model';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { createTokenClient } from '@fairlead/connector-runtime/token-client';
import {
  testCall,
  testConnector,
  testCredential,
  testEgress,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import { testRuntime } from '@fairlead/connector-runtime/testing/vendor';
import { connectorHandlers } from './handlers.ts';

// The production policy, and a name server of an attacker: every name is this machine.
const egress = testEgress({ allow: [], resolve: () => Promise.resolve(['127.0.0.1', '::1']) });
const runtime = createConnectorRuntime({ egress, handlers: connectorHandlers });
afterAll(() => egress.close());

const compiled = await compileConnectors(import.meta.dirname);
if (!compiled.ok) throw new Error('The manifests do not compile.');

const BLOCKED = /is not a public address/;

/** A server on every address of this machine that no call may reach. */
async function openTarget(): Promise<{ port: number; connections(): number }> {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  // It listens on TCP.
  const { port } = server.address() as net.AddressInfo;
  return { port, connections: () => connections };
}

const ADDRESS_FIELD = /url|host|server|domain|endpoint|address|site/i;

/** Values for every field of a connection or property of an input: addresses are the target's. */
function filled(names: readonly (readonly [name: string, type: unknown])[], port: number): JsonObject {
  const valueOf = (name: string, type: unknown): JsonObject[string] => {
    if (name === 'host') return 'private.example';
    if (name === 'port') return port;
    if (name === 'sslMode') return 'disable';
    if (ADDRESS_FIELD.test(name)) return `http://private.example:${port}/x`;
    if (type === 'integer' || type === 'number') return 1;
    return type === 'object' ? { x: 'x' } : type === 'array' ? [] : 'x';
  };
  return Object.fromEntries(names.map(([name, type]) => [name, valueOf(name, type)]));
}

/** The connector as an operator would set it up, with the addresses of his settings at the target too. */
function configured(connector: Connector, port: number): Connector {
  const text = JSON.stringify(connector).replaceAll(
    /\{\{setting\.\w+\}\}/g,
    `http://private.example:${port}`,
  );
  // The same connector, with other texts.
  return JSON.parse(text) as Connector;
}

function typedProperties(schema: JsonObject): [string, unknown][] {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return [];
  return Object.entries(properties).map(([name, property]) => [
    name,
    typeof property === 'object' && property !== null && 'type' in property ? property['type'] : undefined,
  ]);
}

/** The platform's own triggers: nothing of these calls anybody, which the last test proves. */
const OWN_TRIGGERS: readonly string[] = ['fairlead', 'http-webhook', 'schedule'];
/** Its handlers work on files and get no address. */
const FILES = 'onprem-files';
const calling = compiled.connectors.filter(({ slug }) => ![...OWN_TRIGGERS, FILES].includes(slug));

/** Credentials that agents make of their profiles, for connectors that know several types of them. */
function profilesOf({ slug }: Connector, port: number): readonly JsonObject[] {
  if (slug !== 'onprem-database') return [{}];
  const login = { host: 'private.example', port, user: 'x', database: 'x', sslMode: 'disable' };
  return [
    { type: 'postgresql', ...login },
    { type: 'mysql', ...login },
  ];
}

describe('every connector of this build that calls anybody', () => {
  it.each(calling.map((connector) => [connector.slug, connector] as const))(
    '%s reaches no private address, in whatever field or input it is',
    async (_, bundled) => {
      const target = await openTarget();
      const connector = configured(bundled, target.port);
      const refused: string[] = [];
      for (const method of connector.authenticationMethods) {
        const fields = filled(
          method.fields.map(({ name, type }) => [name, type]),
          target.port,
        );
        const credential = testCredential({ ...fields, accessToken: 'x' });
        const check = await runtime.testCredential(connector, method, credential, testOptions());
        if (!check.isSuccess) refused.push(check.errorMessage);
        if (method.scheme.type === 'oauth2') refused.push(...(await tokenFailures(method.scheme, fields)));
        const profiles = profilesOf(connector, target.port);
        for (const [tool, profile] of connector.tools.flatMap((it) =>
          profiles.map((of) => [it, of] as const),
        )) {
          const call = testCall(tool, {
            connector,
            method,
            credential: { ...credential, fields: { ...credential.fields, ...profile } },
            fields: filled(typedProperties(tool.inputSchema), target.port),
          });
          const outcome = await runtime.execute(call, testOptions());
          expect(outcome.isSuccess).toBe(false);
          if (!outcome.isSuccess) refused.push(outcome.errorMessage);
        }
      }
      expect(target.connections()).toBe(0);
      expect(refused.join('\n')).toMatch(BLOCKED);
    },
  );
});

it.each(OWN_TRIGGERS)('%s has nothing that could call anybody', (slug) => {
  const connector = compiled.connectors.find((each) => each.slug === slug);
  expect(connector).toMatchObject({ tools: [], baseUrl: null });
  expect(connector?.authenticationMethods.map(({ scheme, test }) => [scheme.type, test])).toEqual([
    ['none', null],
  ]);
  for (const { poll, webhook } of connector?.triggerTypes ?? [])
    expect([poll, webhook]).toEqual([null, null]);
});

async function tokenFailures(scheme: OAuth2Scheme, field: JsonObject): Promise<string[]> {
  const tokens = createTokenClient({ egress, clock: { now: () => new Date() } });
  const o = {
    accountId: 'a-1',
    client: { clientId: 'x', clientSecret: 'x' },
    values: { field },
    signal: new AbortController().signal,
  };
  const results = await Promise.allSettled([
    tokens.clientCredentials(scheme, o),
    tokens.refresh(scheme, { ...o, refreshToken: 'x' }),
    tokens.exchangeCode(scheme, { ...o, redirectUri: 'https://x.example/', code: 'x', codeVerifier: 'x' }),
  ]);
  return results.map((result) => (result.status === 'rejected' ? String(result.reason) : 'granted'));
}

describe('postgresql', () => {
  const connector = testConnector({ slug: 'postgresql' });
  const tool = testTool({ type: 'handler', handler: 'runQuery' });

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '127.1',
    'localhost',
    'private.example',
    '127.0.0.1,db.example.com',
    'db.example.com,127.0.0.1',
    '/var/run/postgresql',
    '@postgresql',
    'host=127.0.0.1',
    'hostaddr=127.0.0.1 host=db.example.com',
    'service=local',
    'postgresql://127.0.0.1/db',
    'db.example.com hostaddr=127.0.0.1',
    'db.example.com?host=127.0.0.1',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    'fe80::1%eth0',
  ])('the host %j is refused', async (host) => {
    const target = await openTarget();
    const others = { hostaddr: '127.0.0.1', service: 'local', socketPath: '/var/run', options: '-c x=y' };
    const fields = {
      host,
      port: target.port,
      database: `host=127.0.0.1 port=${target.port}`,
      user: 'u',
      ...others,
    };
    const call = testCall(tool, {
      connector,
      method: testMethod({ type: 'custom' }),
      credential: testCredential({ ...fields, password: 'p', sslMode: 'disable' }),
      fields: { sql: 'SELECT 1' },
    });
    const outcome = await runtime.execute(call, testOptions());
    expect(outcome).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringMatching(BLOCKED) as string,
    });
    expect(target.connections()).toBe(0);
  });
});

describe('http', () => {
  const connector = testConnector({ slug: 'http' });
  const tool = testTool({ type: 'handler', handler: 'sendRequest' }, { retryClass: 'unsafe' });
  const bearer = testMethod({ type: 'bearer', token: '{{field.token}}' });

  function send(fields: JsonObject, credential: JsonObject = {}): Promise<ToolOutcome> {
    const method = 'token' in credential ? bearer : testMethod();
    const parts = { connector, method, credential: testCredential(credential), fields };
    return runtime.execute(testCall(tool, parts), testOptions());
  }

  it.each([
    'http://127.1:P/',
    'http://[::ffff:7f00:1]:P/',
    'http://①②⑦.⓪.⓪.①:P/',
    'http://private.example:P/',
  ])('%s is refused as a URL and as a base URL', async (template) => {
    const target = await openTarget();
    const url = template.replace('P', String(target.port));
    for (const outcome of [await send({ url }), await send({ url: '/x' }, { token: 't', baseUrl: url })]) {
      expect(outcome).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringMatching(BLOCKED) as string,
      });
    }
    expect(target.connections()).toBe(0);
  });

  it.each([
    '//127.0.0.1:P/',
    '\\\\127.0.0.1:P/',
    '/\\127.0.0.1:P/',
    '@127.0.0.1:P/',
    ':P@127.0.0.1/',
    '.127.0.0.1:P/',
    'http://127.0.0.1:P/',
    'http:127.0.0.1:P/',
    'http:\\\\127.0.0.1:P/',
    '\thttp://127.0.0.1:P/',
    'unix:/var/run/docker.sock',
  ])('the path %j does not leave a base URL', async (template) => {
    const target = await openTarget();
    const server = await startTestServer(() => ({ body: {} }));
    onTestFinished(() => server.close());
    const call = testCall(tool, {
      connector,
      method: bearer,
      credential: testCredential({ token: 't', baseUrl: server.url.replace('127.0.0.1', '127.0.0.2') }),
      fields: { url: template.replace('P', String(target.port)) },
    });
    await testRuntime(connectorHandlers).execute(call, testOptions());
    expect(target.connections()).toBe(0);
  });
});

describe('mcp', () => {
  it('a server cannot make the client call other addresses', async () => {
    const target = await openTarget();
    const elsewhere = `http://127.0.0.1:${target.port}`;
    const headers = {
      'www-authenticate': `Bearer resource_metadata="${elsewhere}/.well-known/oauth-protected-resource"`,
      link: `<${elsewhere}>; rel=preconnect`,
    };
    const answers = [
      { status: 401, headers },
      {
        status: 403,
        headers: { 'www-authenticate': `${headers['www-authenticate']}, error="insufficient_scope"` },
      },
      ...[301, 302, 303, 307, 308].map((status) => ({ status, headers: { location: elsewhere } })),
      {
        headers: { 'content-type': 'text/event-stream' },
        body: `event: endpoint\ndata: ${elsewhere}/messages\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"x","params":{"url":"${elsewhere}"}}\n\n`,
      },
      { body: { authorization_servers: [elsewhere], resource: elsewhere, endpoint: elsewhere } },
    ];
    for (const answer of answers) {
      const server = await startTestServer(() => answer);
      onTestFinished(() => server.close());
      const outcome = await testRuntime(connectorHandlers).execute(
        testCall(testTool({ type: 'mcp', toolName: 'x' }), {
          credential: testCredential({ serverUrl: `${server.url}/mcp` }),
        }),
        testOptions({ timeoutMs: 2_000 }),
      );
      expect(outcome.isSuccess).toBe(false);
    }
    expect(target.connections()).toBe(0);
  });
});
