import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestUser } from './support/accounts.ts';
import { expectError, expectList, get, patch, post } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { importForEndUser } from './support/end-users.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { startToolServer } from './support/tool-server.ts';

const LIST = 'sandbox-crm-list-contacts';

let account: TestAccount;
let shared: number;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  account = await createAccount();
  shared = (await createCrmConnection('Shared', account.apiKey)).id;
  [ada, ben] = await Promise.all([
    createUser(account, { role: 'member' }),
    createUser(account, { role: 'member' }),
  ]);
});
afterAll(() => removeAccount(account));

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function make(
  members: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, any> & { readonly url: string }> {
  const connections = [{ connectionId: shared, identity: 'user' }];
  const body = { name: 'Own connections', connections, ...members };
  return expectStatus(await post('/admin/v1/mcpservers', body, account), 201).body;
}

async function connect(url: string, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  clients.push(client);
  return client;
}

const keyOf = ({ apiKey }: { readonly apiKey: string }) => ({ 'x-api-key': apiKey });

describe('An entry of an MCP server with identity user', () => {
  row(
    'completion.mcp-servers.2',
    'is stored, kept by a PATCH that leaves it out, and shared by default',
    async () => {
      const { mcpServerToken, connections } = await make();
      const entry = { connectionId: shared, applicationSlug: 'sandbox-crm', tools: null, identity: 'user' };
      expect(connections).toEqual([entry]);
      const change = async (body: object) =>
        expectStatus(await patch(`/v1/mcpservers/${mcpServerToken}`, body, account), 200).body.connections;
      expect(await change({ name: 'Renamed' })).toEqual([entry]);
      expect(await change({ connections: [{ connectionId: shared }] })).toEqual([
        { ...entry, identity: 'shared' },
      ]);
      expect(await change({ connections: [entry] })).toEqual([entry]);
      const unknown = { connections: [{ connectionId: shared, identity: 'caller' }] };
      const refused = await patch(`/v1/mcpservers/${mcpServerToken}`, unknown, account);
      expectError(refused, 400, 'INVALID_ENUM_VALUE');
    },
  );

  it('is refused where users cannot have connections of their own', async () => {
    const upstream = await startToolServer(account, [{ name: 'echo', inputSchema: { type: 'object' } }]);
    const connections = [{ connectionId: shared }, { connectionId: upstream.connectionId, identity: 'user' }];
    const body = { name: 'Own connections', connections };
    expectError(await post('/admin/v1/mcpservers', body, account), 400, 'VALIDATION_ERROR', [
      'connections[1].identity',
    ]);
    await upstream.close();
  });

  it('calls with the connection of the user who calls, and with nobody else’s', async () => {
    const { id } = await importForEndUser(`user:${ada.userId}`, account);
    const { url } = await make();
    const client = await connect(url, keyOf(ada));
    expect((await client.callTool({ name: LIST })).structuredContent).toHaveProperty('items');
    const [execution] = expectList(await get('/v1/executions?top=1', account)).items;
    expect(execution).toMatchObject({
      connectionId: id,
      executionInfo: { connectionResolution: 'endUser', userId: ada.userId, source: 'mcp' },
    });
    const refused = await (await connect(url, keyOf(ben))).callTool({ name: LIST });
    expect(refused).toMatchObject({
      isError: true,
      _meta: { 'dev.fairlead/errorCode': 'NO_DEFAULT_CONNECTION' },
    });
  });

  it('refuses clients without a credential, and says why', async () => {
    const client = await connect((await make({ isAnonymousAllowed: true })).url, {});
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain(LIST);
    const refused = await client.callTool({ name: LIST });
    expect(refused).toMatchObject({ isError: true, _meta: { 'dev.fairlead/errorCode': 'FORBIDDEN' } });
    expect(JSON.stringify(refused.content)).toContain('the client is not authenticated');
  });
});
