import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestUser } from './support/accounts.ts';
import { del, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { importForEndUser } from './support/end-users.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { Visitor } from './support/sign-in.ts';
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

async function create(
  members: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, any> & { readonly url: string }> {
  const connections = [{ connectionId: shared, identity: 'user' }];
  const body = { name: 'Own connections', connections, ...members };
  return expectStatus(await post('/admin/v1/mcpservers', body, account), 201).body;
}

async function connect(url: string, headers: Record<string, string>, capabilities = {}): Promise<Client> {
  const versionNegotiation = { mode: 'legacy' } as const;
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  clients.push(client);
  return client;
}

/** Opens a link and signs in as that user; returns the final page. */
async function openAs({ email, password }: TestUser, link: string) {
  const visitor = new Visitor();
  const signIn = await visitor.open(link);
  expect(signIn.html).toContain('type="password"');
  return { visitor, page: await visitor.submit(signIn, { email, password }, /Sign in/) };
}

const keyOf = ({ apiKey }: { readonly apiKey: string }) => ({ 'x-api-key': apiKey });

describe('An entry of an MCP server with identity user', () => {
  row(
    'completion.mcp-servers.2',
    'is stored, kept by a PATCH that leaves it out, and shared by default',
    async () => {
      const { mcpServerToken, connections } = await create();
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
    const { url } = await create();
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
    const client = await connect((await create({ isAnonymousAllowed: true })).url, {});
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain(LIST);
    const refused = await client.callTool({ name: LIST });
    expect(refused).toMatchObject({ isError: true, _meta: { 'dev.fairlead/errorCode': 'FORBIDDEN' } });
    expect(JSON.stringify(refused.content)).toContain('the client is not authenticated');
  });
});

describe('A user without a connection of their own', () => {
  row(
    'completion.mcp-servers.16',
    'is sent to a page that only they can open, and after it the same call works',
    async () => {
      const { url } = await create();
      const user = await createUser(account, { role: 'member' });
      const client = await connect(url, keyOf(user), { elicitation: { url: {} } });
      const told: unknown[] = [];
      client.setNotificationHandler(
        'notifications/elicitation/complete',
        ({ params }) => void told.push(params),
      );
      const refused = await client.callTool({ name: LIST }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: -32_042, data: { elicitations: [{ mode: 'url' }] } });
      const [{ url: link, elicitationId }] = (refused as { readonly data: { readonly elicitations: any } })
        .data.elicitations;
      expect(new URL(link).origin).toBe(new URL(stack.baseUrl).origin);

      const { page: foreign } = await openAs(ben, link);
      expect(foreign.status).toBe(403);
      expect(foreign.html).toContain('this link is for somebody else');

      const { visitor, page } = await openAs(user, link);
      expect([page.status, page.url.pathname]).toEqual([200, expect.stringContaining('/connect/sessions/')]);
      const done = await visitor.submit(page, { password: stack.sandboxCrm.apiKey }, /connect/i);
      expect(done.html).toContain('You are connected');
      await expect.poll(() => told).toEqual([{ elicitationId }]);
      expect((await client.callTool({ name: LIST })).structuredContent).toHaveProperty('items');
      const [execution] = expectList(await get('/v1/executions?top=1', account)).items;
      expect(execution.executionInfo).toMatchObject({ connectionResolution: 'endUser', userId: user.userId });
      // A signed-in person need not sign in again.
      expect((await visitor.open(link)).url.pathname).toContain('/connect/sessions/');
    },
  );

  it('gets the link in the text from a client that opens no pages, and an idempotency key does not keep it', async () => {
    const { url } = await create();
    const user = await createUser(account, { role: 'member' });
    const client = await connect(url, keyOf(user));
    const call = { name: LIST, _meta: { 'dev.fairlead/idempotencyKey': crypto.randomUUID() } };
    const refused = await client.callTool(call);
    const link = String(refused._meta?.['dev.fairlead/connectUrl']);
    expect(refused).toMatchObject({
      isError: true,
      _meta: { 'dev.fairlead/errorCode': 'NO_DEFAULT_CONNECTION' },
    });
    expect(JSON.stringify(refused.content)).toContain(link);
    expect(new URL(link).searchParams.get('user')).toBe(user.userId);
    await importForEndUser(`user:${user.userId}`, account);
    expect((await client.callTool(call)).structuredContent).toHaveProperty('items');
    await del(`/v1/end-users/${encodeURIComponent(`user:${user.userId}`)}`, account);
  });
});
