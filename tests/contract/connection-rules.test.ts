import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { startMcpOAuthServer } from '@fairlead/connector-runtime/testing/mcp-oauth-server';
import { afterEach, expect, onTestFinished } from 'vitest';
import { expectStatus } from './support/accounts.ts';
import { del, expectError, expectList, get, post, put, stack } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import { row } from './support/row.ts';
import { authorizedState, startCrmSignIn, Visitor } from './support/sign-in.ts';

const fields = { apiToken: stack.sandboxCrm.apiKey };
const direct = { applicationSlug: 'sandbox-crm', connectionName: 'Direct', authenticationId: 1, fields };
const bySignIn = { applicationSlug: 'sandbox-crm', connectionName: 'By sign-in', authenticationId: 0 };

afterEach(async () => {
  const { items } = expectList(await get('/admin/v1/connections'));
  for (const { id } of items) await del(`/v1/connections/${id}`);
});

row(
  'completion.connections.13',
  'a state fits only its own application and method, at creation and at a re-authentication, and stays as it is',
  async () => {
    const oauthState = await authorizedState();
    const serverUrl = stack.samples.mcpServerUrl;
    for (const other of [
      { ...bySignIn, applicationSlug: 'mcp', authenticationId: 2, fields: {} },
      { ...bySignIn, applicationSlug: 'mcp', authenticationId: 0, fields: { serverUrl } },
      direct,
      { ...bySignIn, authenticationId: 2 },
    ]) {
      const answer = await post('/v1/connections', { ...other, oauthState });
      expectError(answer, 400, 'VALIDATION_ERROR', ['oauthState']);
    }
    const { id } = await createCrmConnection();
    const renewed = await put(`/v1/connections/${id}`, { connectionName: 'x', oauthState });
    expectError(renewed, 400, 'VALIDATION_ERROR', ['oauthState']);
    expectStatus(await post('/v1/connections', { ...bySignIn, oauthState }), 201);
  },
);

row('versioning.9', 'no connection is created for an application of on-prem agents', async () => {
  const { totalCount } = expectList(await get('/admin/v1/connections'));
  const answer = await post('/v1/connections', { applicationSlug: 'agent-crm', connectionName: 'An agent' });
  expectError(answer, 400, 'VALIDATION_ERROR', ['applicationSlug']);
  expect(answer.body.message).toContain('/v1/on-prem-agents');
  expect(expectList(await get('/admin/v1/connections')).totalCount).toBe(totalCount);
});

row(
  'completion.connections.29',
  'ExternalOrgId is INVALID_FIELD on every method of every application, and at a PUT',
  async () => {
    const refused = { ExternalOrgId: 'x' };
    for (const { slug } of expectList(await get('/v1/applications')).items) {
      const { authenticationMethods } = (await get(`/v1/applications/${slug}`)).body;
      for (const { authenticationId, requiresOAuthSignIn } of authenticationMethods) {
        const method = { applicationSlug: slug, authenticationId, fields: refused };
        const answer = requiresOAuthSignIn
          ? await post('/v1/connections/get-sign-in-url', method)
          : await post('/v1/connections', { ...method, connectionName: 'x' });
        expectError(answer, 400, 'INVALID_FIELD');
      }
    }
    const { id } = await createCrmConnection();
    const body = { connectionName: 'x', fields: { ...fields, ...refused } };
    expectError(await put(`/v1/connections/${id}`, body), 400, 'INVALID_FIELD');
  },
);

row(
  ['completion.connections.33', 'completion.connections.34'],
  'a name has 1 to 200 characters, a description up to 2 000, metadata up to 16 KiB, and not one more',
  async () => {
    // {"big":"…"} has ten bytes besides the text.
    const metadata = (bytes: number) => ({ big: 'x'.repeat(bytes - 10) });
    const largest = {
      connectionName: 'é'.repeat(200),
      description: 'é'.repeat(2000),
      metadata: metadata(16_384),
    };
    for (const body of [
      { ...direct, connectionName: 'x' },
      { ...direct, ...largest },
    ]) {
      const { id } = await createConnection(body);
      const { connectionName, description = null } = body as { connectionName: string; description?: string };
      expect((await get(`/v1/connections/${id}`)).body).toMatchObject({ connectionName, description });
      expectStatus(await put(`/v1/connections/${id}`, largest), 200);
      for (const [member, value] of [
        ['connectionName', 'x'.repeat(201)],
        ['connectionName', ''],
        ['description', 'x'.repeat(2001)],
        ['metadata', metadata(16_385)],
        ['metadata', []],
      ] as const) {
        const changed = { ...direct, [member]: value };
        expectError(await post('/v1/connections', changed), 400, 'VALIDATION_ERROR', [member]);
        const again = { connectionName: 'x', [member]: value };
        expectError(await put(`/v1/connections/${id}`, again), 400, 'VALIDATION_ERROR', [member]);
      }
    }
  },
);

row(
  ['completion.connections.55', 'completion.connections.56', 'completion.connections.47'],
  'a direct connection is created and replaced without a request to the vendor; its test makes one',
  async () => {
    const requests: string[] = [];
    const vendor = createServer((request, response) => {
      requests.push(String(request.headers['x-api-key']));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    await once(vendor, 'listening');
    onTestFinished(() => {
      vendor.closeAllConnections();
      vendor.close();
    });
    // A server that listens on TCP has an address of this kind.
    const baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    const ofKey = (apiKey: string) => ({ baseUrl, headerName: 'x-api-key', apiKey });
    const { id } = await createConnection({
      applicationSlug: 'http',
      connectionName: 'Quiet',
      authenticationId: 1,
      fields: ofKey('first-key-of-the-test'),
    });
    const body = { connectionName: 'Quiet', fields: ofKey('second-key-of-the-test') };
    expectStatus(await put(`/v1/connections/${id}`, body), 200);
    expect(requests).toEqual([]);
    const tested = await post(`/v1/connections/${id}/test`);
    expect(tested.body).toEqual({ isSuccess: true, errorMessage: null });
    expect(requests).toEqual(['second-key-of-the-test']);
  },
);

row(
  ['auth-provider.5', 'completion.auth-providers.3', 'completion.auth-providers.22'],
  'BaseUrl is the endpoint that a provider’s client is registered at; its sign-ins go through that client',
  async () => {
    const server = await startMcpOAuthServer(stack.baseUrl);
    onTestFinished(() => server.close());
    const mcp = { applicationSlug: 'mcp', authenticationId: 2 };
    const { items } = expectList(await get('/v1/auth-providers/sources'));
    const source = items.find(({ applicationSlug }) => applicationSlug === 'mcp');
    expect(source?.methods).toMatchObject([
      {
        authenticationId: 2,
        slots: [
          { slot: 'Key1', isSecret: false, isRequired: true },
          { slot: 'Key2', isSecret: true, isRequired: false },
          { slot: 'BaseUrl', isSecret: false, isRequired: true },
        ],
      },
    ]);
    const values = { Key1: 'pre-registered', Key2: '', BaseUrl: server.issuer };
    const made = expectStatus(
      await post('/v1/auth-providers', { ...mcp, name: randomUUID(), values }),
      201,
    ).body;
    expect(made.values).toMatchObject([
      { slot: 'Key1', hasValue: true, value: 'pre-registered' },
      { slot: 'Key2', hasValue: false, value: null },
      { slot: 'BaseUrl', hasValue: true, value: server.issuer },
    ]);
    const { signInUrl } = await startCrmSignIn(stack.account.apiKey, {
      ...mcp,
      authProviderId: made.id,
      fields: { serverUrl: server.url },
    });
    const visitor = new Visitor();
    const asked = await visitor.open(signInUrl);
    const { url } = await visitor.submit(asked, {}, /continue/i, ({ origin }) => origin === server.issuer);
    expect(url.searchParams.get('client_id')).toBe('pre-registered');
    expect(server.registrations).toEqual([]);
  },
);

row('errors.12', 'a value of a field that is no secret has at most 16 KiB, also on PUT', async () => {
  const values = (bytes: number) => ({ baseUrl: 'http://127.0.0.1:9/'.padEnd(bytes - 2, 'x'), apiKey: 'k' });
  const sent = (bytes: number) => ({
    applicationSlug: 'http',
    connectionName: 'Large',
    authenticationId: 1,
    fields: values(bytes),
  });
  const refused = await post('/v1/connections', sent(16 * 1024 + 1));
  expectError(refused, 400, 'VALIDATION_ERROR', ['fields.baseUrl']);
  const { id } = expectStatus(await post('/v1/connections', sent(16 * 1024)), 201).body;
  const replaced = await put(`/v1/connections/${id}`, {
    connectionName: 'Large',
    fields: values(16 * 1024 + 1),
  });
  expectError(replaced, 400, 'VALIDATION_ERROR', ['fields.baseUrl']);
});
