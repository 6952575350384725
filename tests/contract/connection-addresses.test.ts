import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { TestServer } from '@fairlead/connector-runtime/testing/http-server';
import { mcpResult, startTestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, get, post, put } from './support/api.ts';
import { createConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const SECRET = 's3cret-of-the-first-address';

describe('the secrets of a connection are not sent to another address', () => {
  let account: TestAccount;
  let vendor: TestServer;
  let thief: TestServer;
  beforeAll(async () => {
    account = await createAccount();
    thief = await startTestServer(() => ({ body: {} }));
    vendor = await startTestServer(({ path }) =>
      path === '/away' ? { status: 307, headers: { location: `${thief.url}/caught` } } : { body: {} },
    );
  });
  afterAll(async () => {
    await vendor.close();
    await thief.close();
    await removeAccount(account);
  });
  const expectNoSecret = (): void => {
    const basic = Buffer.from(`user:${SECRET}`).toString('base64');
    const received = JSON.stringify(thief.requests);
    for (const secret of [SECRET, basic]) expect(received).not.toContain(secret);
  };
  const methods = {
    key: [1, { headerName: 'x-key', apiKey: SECRET }, 'apiKey'],
    basic: [2, { username: 'user', password: SECRET }, undefined],
    bearer: [3, { token: SECRET }, 'token'],
  } as const;
  const connect = (of: keyof typeof methods) => {
    const [authenticationId, fields] = methods[of];
    const body = { applicationSlug: 'http', connectionName: of, authenticationId };
    return createConnection({ ...body, fields: { baseUrl: vendor.url, ...fields } }, account.apiKey);
  };
  const send = async (id: number, url: string) =>
    (await post(`/v1/tools/http-send-request/execute?connectionId=${id}`, { fields: { url } }, account)).body;

  row(
    'completion.connections.39',
    'by a PUT of its address alone, which is refused whole, or leaves the secret out',
    async () => {
      for (const method of ['key', 'basic', 'bearer'] as const) {
        const { id } = await connect(method);
        const one = `/v1/connections/${id}`;
        const before = (await get(one, account)).body;
        const [, { ...fields }, secret] = methods[method];
        const moved: Record<string, string> = { ...fields, baseUrl: thief.url };
        delete moved[secret ?? 'password'];
        const metadata = { baseUrl: thief.url };
        const answer = await put(one, { connectionName: 'Moved', metadata, fields: moved }, account);
        if (secret !== undefined) {
          expectError(answer, 400, 'VALIDATION_ERROR', [`fields.${secret}`]);
          expect((await get(one, account)).body).toEqual(before);
          expectStatus(await put(one, { connectionName: method, metadata }, account), 200);
          expect(await send(id, 'orders')).toMatchObject({ isSuccess: true });
          expect(vendor.requests.at(-1)?.path).toBe('/orders');
        } else {
          expect(expectStatus(answer, 200).body.secretFields).toEqual([]);
          expect(await send(id, 'orders')).toMatchObject({ isSuccess: true });
          expect(thief.requests.at(-1)?.path).toBe('/orders');
        }
      }
      expectNoSecret();
    },
  );

  row(
    ['completion.connections.39', 'completion.connections.53'],
    'by a PUT of the address of its MCP server alone, which is refused whole and reaches nobody',
    async () => {
      const server = await startTestMcpServer(({ id }) => ({ body: mcpResult(id, { tools: [] }) }));
      const body = { applicationSlug: 'mcp', connectionName: 'MCP', authenticationId: 1 };
      const fields = { serverUrl: server.url, token: SECRET };
      const { id } = await createConnection({ ...body, fields }, account.apiKey);
      const moved = { connectionName: 'MCP', fields: { serverUrl: `${thief.url}/mcp` } };
      expectError(await put(`/v1/connections/${id}`, moved, account), 400, 'VALIDATION_ERROR', [
        'fields.token',
      ]);
      expect(thief.requests.filter(({ path }) => path === '/mcp')).toEqual([]);
      const tested = await post(`/v1/connections/${id}/test`, undefined, account);
      expect(tested.body).toMatchObject({ isSuccess: true });
      await server.close();
    },
  );

  row(
    ['completion.toolsets-and-workflows.13', 'completion.applications-and-tools.74'],
    'by an input or a fixed field of a toolset, and by no redirect of its vendor',
    async () => {
      const { id } = await connect('bearer');
      const outside = [
        `${thief.url}/caught`,
        `//${thief.url.slice(7)}/caught`,
        `${vendor.url}@${thief.url.slice(7)}`,
      ];
      for (const url of outside) await send(id, url);
      expect(await send(id, outside[0] ?? '')).toMatchObject({ isSuccess: false });
      const toolset = {
        name: 'Fixed',
        connections: [{ connectionId: id }],
        policy: { fixedFields: { 'http-send-request': { url: `${thief.url}/caught` } } },
      };
      const { id: toolsetId } = expectStatus(await post('/v1/toolsets', toolset, account), 201).body;
      const fixed = await post(
        `/v1/tools/http-send-request/execute?toolsetId=${toolsetId}`,
        { fields: {} },
        account,
      );
      expect(fixed.body).toMatchObject({ isSuccess: false });
      expect(await send(id, 'away')).toMatchObject({ isSuccess: true, output: { status: 307 } });
      expect(vendor.requests.at(-1)?.path).toBe('/away');
      expect(thief.requests.filter(({ path }) => path === '/caught')).toEqual([]);
      expectNoSecret();
    },
  );
});
