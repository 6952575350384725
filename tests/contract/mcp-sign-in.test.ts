import { startMcpOAuthServer } from '@fairlead/connector-runtime/testing/mcp-oauth-server';
import type { McpOAuthServer } from '@fairlead/connector-runtime/testing/mcp-oauth-server';
import { mcpEvents, mcpResult, startTestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { createUser, expectStatus } from './support/accounts.ts';
import { asOther, del, expectError, expectList, get, post, put, stack } from './support/api.ts';
import { createConnection, createMcpConnection } from './support/connections.ts';
import { exchange } from './support/recorder.ts';
import { row } from './support/row.ts';
import { continueToVendor, startCrmSignIn, Visitor } from './support/sign-in.ts';

let server: McpOAuthServer;
beforeAll(async () => {
  server = await startMcpOAuthServer(stack.baseUrl);
});
afterAll(async () => {
  for (const { id } of expectList(await get('/admin/v1/connections')).items)
    await del(`/v1/connections/${id}`);
  await server.close();
});

const byOAuth = { applicationSlug: 'mcp', authenticationId: 2 };

/** Completes a sign-in at the MCP server's authorization server; returns its state. */
async function signedIn(): Promise<string> {
  const { signInUrl, state } = await startCrmSignIn(stack.account.apiKey, {
    ...byOAuth,
    fields: { serverUrl: server.url },
  });
  const last = await continueToVendor(new Visitor(), signInUrl);
  expect(last.status, last.html).toBe(200);
  return state;
}

async function connect(): Promise<Record<string, any> & { id: number }> {
  const oauthState = await signedIn();
  return createConnection({ ...byOAuth, connectionName: 'Signed in', fields: {}, oauthState });
}

const execute = (id: number) =>
  post(`/v1/tools/echo/execute?connectionId=${id}`, { fields: { message: 'hi' } });

describe('connections of kind MCPClient', () => {
  row(
    'completion.connections.51',
    'the application mcp takes serverUrl and no credential, a bearer token, or a sign-in',
    async () => {
      const { body } = await get('/v1/applications/mcp');
      const methods: { authenticationName: string; fields: { name: string; isRequired: boolean }[] }[] =
        body.authenticationMethods;
      expect(methods.map(({ authenticationName }) => authenticationName)).toEqual([
        'None',
        'Bearer token',
        'OAuth sign-in',
      ]);
      for (const { fields } of methods) {
        expect(fields.find(({ name }) => name === 'serverUrl')).toMatchObject({ isRequired: true });
      }
    },
  );

  row(
    ['completion.connections.52', 'completion.connections.54'],
    'a sign-in at the server connects it: its tools are an application of the account, which the record names',
    async () => {
      const connection = await connect();
      expect(connection).toMatchObject({
        kind: 'MCPClient',
        applicationSlug: `mcp-${connection.id}`,
        authenticationId: 2,
        authProviderId: 0,
        status: 'Active',
        fields: { serverUrl: server.url },
      });
      const { items } = expectList(await get(`/v1/tools?applicationSlug=mcp-${connection.id}`));
      expect(items.map(({ toolSlug }) => toolSlug)).toContain('echo');
      expect((await get(`/v1/applications/mcp-${connection.id}`)).status).toBe(200);
      expect((await get(`/v1/applications/mcp-${connection.id}`, asOther)).status).toBe(404);
      expectError(await get(`/v1/connections/${connection.id}`), 404, 'NOT_FOUND');
      expect(expectList(await get('/v1/connections')).items.map(({ id }) => id)).not.toContain(connection.id);
    },
  );

  row(
    ['completion.connections.53', 'completion.connections.59'],
    'PUT, DELETE, default, test and execute work by id, and a refused token is renewed once',
    async () => {
      const { id } = await connect();
      expect((await execute(id)).body).toMatchObject({ isSuccess: true });
      server.refuseTokens();
      const calls = server.tokenRequests.length;
      expect((await execute(id)).body).toMatchObject({ isSuccess: true });
      expect((await post(`/v1/connections/${id}/test`)).body).toMatchObject({ isSuccess: true });
      expect(server.tokenRequests.slice(calls).map((sent) => sent.get('grant_type'))).toEqual([
        'refresh_token',
      ]);
      expect((await put(`/v1/connections/${id}/default`)).body).toMatchObject({ id, isDefault: true });
      const oauthState = await signedIn();
      const renewed = await put(`/v1/connections/${id}`, { connectionName: 'Again', oauthState });
      expect(renewed.body).toMatchObject({ id, connectionName: 'Again', applicationSlug: `mcp-${id}` });
      expect((await execute(id)).body).toMatchObject({ isSuccess: true });
      expect((await del(`/v1/connections/${id}`)).status).toBe(204);
      expectError(await get(`/v1/applications/mcp-${id}`), 404, 'NOT_FOUND');
    },
  );

  row(
    'completion.connections.53',
    'a tool that the server does not have is 404, also after its tools were read again',
    async () => {
      const { id } = await createMcpConnection();
      const call = `/v1/tools/no-such-tool/execute?connectionId=${id}`;
      expectError(await post(call, { fields: {} }), 404, 'NOT_FOUND');
      expectError(await post(call, { fields: {} }), 404, 'NOT_FOUND');
    },
  );

  row(
    'completion.connections.53',
    'a server that no longer has a tool has its tools read again, and one that wants more scopes is named with them',
    async () => {
      let tools = ['hello', 'guarded'];
      const changing = await startTestMcpServer(({ id, method, params }) => {
        if (method === 'tools/list')
          return mcpEvents([
            mcpResult(id, { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
          ]);
        const { name = '' } = params ?? {};
        if (name === 'guarded')
          return {
            status: 403,
            headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write"' },
          };
        if (tools.includes(name)) return mcpEvents([mcpResult(id, { content: [] })]);
        const error = { code: -32602, message: `Unknown tool: ${name}` };
        return mcpEvents([{ jsonrpc: '2.0', id: id ?? null, error }]);
      });
      onTestFinished(() => changing.close());
      const { id } = await createConnection({
        applicationSlug: 'mcp',
        authenticationId: 0,
        connectionName: 'Changing',
        fields: { serverUrl: changing.url },
      });
      const call = (tool: string) => post(`/v1/tools/${tool}/execute?connectionId=${id}`, { fields: {} });
      expect((await call('guarded')).body).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringContaining('files:write') as string,
      });
      expect((await call('hello')).body).toMatchObject({ isSuccess: true });
      tools = ['welcome'];
      // As after the minute in which tools are read only once.
      const mongo = await MongoClient.connect(stack.mongodbUri);
      onTestFinished(() => mongo.close());
      await mongo
        .db('fairlead_connections')
        .collection<{ _id: number }>('connections')
        .updateOne({ _id: id }, { $set: { 'mcpTools.readAt': new Date(0) } });
      expect((await call('hello')).body).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringContaining('Unknown tool: hello') as string,
      });
      const slugs = async (): Promise<readonly string[]> =>
        expectList(await get(`/v1/tools?applicationSlug=mcp-${id}`)).items.map(({ toolSlug }) => toolSlug);
      await expect.poll(slugs).toEqual(['welcome']);
      expect((await call('welcome')).body).toMatchObject({ isSuccess: true });
      expectError(await call('hello'), 404, 'NOT_FOUND');
    },
  );

  row(
    'completion.connections.51',
    'an address that is missing, not an MCP server, or inside the network is refused by name',
    async () => {
      for (const serverUrl of [
        undefined,
        '',
        'javascript:alert(1)',
        'http://169.254.169.254/mcp',
        'http://10.0.0.1/mcp',
        stack.samples.mcpServerUrl,
      ]) {
        const answer = await post('/v1/connections/get-sign-in-url', {
          ...byOAuth,
          fields: serverUrl === undefined ? {} : { serverUrl },
        });
        expectError(answer, 400, 'VALIDATION_ERROR', ['fields.serverUrl']);
      }
    },
  );

  row('completion.connections.51', 'Fairlead publishes who it is as an OAuth client', async () => {
    const address = new URL('/connect/client.json', stack.baseUrl);
    const { status, text } = await exchange(address, { method: 'GET', headers: new Headers() });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      client_id: address.href,
      redirect_uris: [new URL('/connect/callback/client', stack.baseUrl).href],
    });
  });
});

describe('A shared connection to an MCP server whose sign-in was withdrawn', () => {
  row(
    'completion.mcp-servers.16',
    'is renewed by the page that a call leads to, and then the same call works',
    async () => {
      const { id } = await connect();
      const connections = [{ connectionId: id, tools: ['echo'] }];
      const made = await post('/admin/v1/mcpservers', { name: 'Shared sign-in', connections });
      const { mcpServerToken } = expectStatus(made, 201).body;
      const user = await createUser(stack.account, { role: 'member' });
      const params = { name: 'echo', arguments: { message: 'hi' } };
      const call = async () => {
        const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
        const answer = await post(`${stack.mcpUrl}/${mcpServerToken}/mcp`, message, { apiKey: user.apiKey });
        return expectStatus(answer, 200).body.result;
      };
      // Repeated: on a busy machine a call at the server may fail.
      const patience = { timeout: 120_000 };
      await expect.poll(call, patience).not.toHaveProperty('isError');
      await server.revokeGrants();
      let link = '';
      const findLink = async () => (link = String((await call())._meta?.['dev.fairlead/connectUrl'] ?? ''));
      await expect.poll(findLink, patience).toContain('connection=');

      const visitor = new Visitor();
      const { email, password } = user;
      const page = await visitor.submit(await visitor.open(link), { email, password }, /Sign in/);
      expect([page.status, page.url.pathname]).toEqual([200, expect.stringContaining('/connect/sessions/')]);
      // The server stays the same, so its address is not requested.
      expect(page.html).not.toContain('name="serverUrl"');
      const done = await visitor.submit(page, {}, /continue|sign in|connect/i);
      expect(done.html).toContain('You are connected');
      await expect.poll(call, patience).not.toHaveProperty('isError');
    },
  );
});
