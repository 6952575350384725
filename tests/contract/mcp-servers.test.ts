import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import { call, del, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const path = '/v1/mcpservers';
const adminPath = '/admin/v1/mcpservers';
const LIST = 'sandbox-crm-list-contacts';
const CREATE = 'sandbox-crm-create-contact';

type Server = Record<string, any> & { readonly mcpServerToken: string };

let account: TestAccount;
let connectionId: number;
let second: number;
let workflowToken: string;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
  second = (await createCrmConnection('CRM, too', account.apiKey)).id;
  const flow = { name: 'Flow', slug: `flow-${randomUUID()}`, steps: [{ id: 'list', toolSlug: LIST }] };
  workflowToken = expectStatus(await post('/v1/workflows', flow, account), 201).body.workflowToken;
});
afterAll(() => removeAccount(account));

async function create(members: Record<string, unknown> = {}): Promise<Server> {
  return expectStatus(await post(adminPath, { name: 'Server', ...members }, account), 201).body;
}

const read = (token: string): Promise<Answer> => get(`${path}/${token}`, account);
const change = (token: string, body: object): Promise<Answer> => patch(`${path}/${token}`, body, account);
const entry = (tools: readonly string[] | null = null, id = connectionId) => ({
  connectionId: id,
  applicationSlug: 'sandbox-crm',
  tools,
  identity: 'shared',
});

async function listServers(): Promise<Server[]> {
  return expectList(await get(path, account)).items;
}

describe('An MCP server', () => {
  row(
    [
      'what-the-service-does.7',
      'identifiers-and-naming.8',
      'mcp-server.1',
      'completion.names.5',
      'completion.administration.18',
      'completion.administration.19',
      'completion.mcp-servers.1',
      'completion.mcp-servers.2',
      'completion.mcp-servers.3',
    ],
    'is created, read, listed, changed and deleted',
    async () => {
      const toolset = await post(
        '/v1/toolsets',
        { name: 'Narrow', connections: [{ connectionId }] },
        account,
      );
      const members = {
        name: 'Sales',
        description: 'What sales may do',
        isAnonymousAllowed: true,
        connections: [entry([LIST, CREATE]), entry(null, second)],
        workflows: [{ workflowToken }],
        toolsetId: expectStatus(toolset, 201).body.id,
        contextBudget: 5_000,
        confirmDestructive: true,
        holdChangedTools: true,
        schemas: 'original',
      };
      const created = await create(members);
      const { mcpServerToken, url, oauthUrl, createdAt, updatedAt, ...record } = created;
      expect(record).toEqual({ ...members, isActive: true, changedTools: [] });
      // At least 128 random bits, in an alphabet of at most 64 characters.
      expect(mcpServerToken).toMatch(/^mcp_[\w-]{22,}$/);
      expect(url).toBe(`${stack.mcpUrl}/${mcpServerToken}/sse`);
      expect(oauthUrl).toMatch(/\/mcp\/s\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/mcp$/);
      expect(oauthUrl.startsWith(`${stack.mcpUrl}/s/`)).toBe(true);
      expect(updatedAt).toBe(createdAt);
      expect((await read(mcpServerToken)).body).toEqual(created);
      const newer = await create();
      const { items, totalCount } = expectList(await get(path, account));
      expect(items.slice(0, 2)).toEqual([newer, created]);
      expect(totalCount).toBe(items.length);
      const { body } = await change(mcpServerToken, { name: 'Service', description: null, toolsetId: null });
      expect(body).toEqual({
        ...created,
        name: 'Service',
        description: null,
        toolsetId: null,
        updatedAt: body.updatedAt,
      });
      expect((await del(`${adminPath}/${mcpServerToken}`, account)).status).toBe(204);
      expectError(await read(mcpServerToken), 404, 'NOT_FOUND');
      expectError(await del(`${adminPath}/${mcpServerToken}`, account), 404, 'NOT_FOUND');
      expect((await listServers()).map((it) => it.mcpServerToken)).not.toContain(mcpServerToken);
    },
  );

  row(
    ['completion.mcp-servers.4', 'mcp-server.2'],
    'needs a name only: it is active, and admits nobody without a credential',
    async () => {
      const { mcpServerToken: _token, url: _url, oauthUrl: _oauth, ...record } = await create();
      expect(record).toMatchObject({
        name: 'Server',
        description: null,
        isActive: true,
        isAnonymousAllowed: false,
        connections: [],
        workflows: [],
        toolsetId: null,
        contextBudget: null,
        confirmDestructive: false,
        holdChangedTools: false,
        changedTools: [],
        schemas: 'portable',
      });
      for (const name of ['', 'x'.repeat(201), 7, null, undefined])
        expectError(await post(adminPath, { name }, account), 400, 'VALIDATION_ERROR', ['name']);
      expectError(
        await post(adminPath, { name: 'x', isAnonymousAllowed: 'no' }, account),
        400,
        'VALIDATION_ERROR',
        ['isAnonymousAllowed'],
      );
    },
  );

  row(
    ['mcp-server.2', 'completion.mcp-servers.5'],
    'keeps isAnonymousAllowed, whatever a PATCH says of it',
    async () => {
      for (const isAnonymousAllowed of [true, false]) {
        const { mcpServerToken } = await create({ isAnonymousAllowed });
        for (const said of [!isAnonymousAllowed, null, 'no']) {
          const answer = await change(mcpServerToken, { isAnonymousAllowed: said, name: 'Changed' });
          expect([answer.status, answer.body]).toMatchObject([200, { name: 'Changed', isAnonymousAllowed }]);
        }
        expect((await read(mcpServerToken)).body.isAnonymousAllowed).toBe(isAnonymousAllowed);
      }
    },
  );

  row(
    ['mcp-server.3', 'mcp-server.4', 'mcp-servers.2', 'mcp-servers.3', 'completion.mcp-servers.6'],
    'keeps what a PATCH leaves out; a list replaces the whole of it, and the last one holds',
    async () => {
      const connections = [entry([LIST])];
      const { mcpServerToken } = await create({ connections, workflows: [{ workflowToken }] });
      const changed = async (body: object) => expectStatus(await change(mcpServerToken, body), 200).body;
      expect(await changed({})).toMatchObject({ connections, workflows: [{ workflowToken }] });
      expect(await changed({ connections: [{ connectionId: second, tools: [] }] })).toMatchObject({
        connections: [entry([], second)],
        workflows: [{ workflowToken }],
      });
      const both = [entry(null, second), entry([CREATE, LIST])];
      expect(await changed({ connections: both, workflows: [] })).toMatchObject({
        connections: both,
        workflows: [],
      });
      const writes = await Promise.all(
        [[LIST], [CREATE], null].map((tools) => change(mcpServerToken, { connections: [entry(tools)] })),
      );
      expect(writes.map(({ status }) => status)).toEqual([200, 200, 200]);
      const { connections: now } = (await read(mcpServerToken)).body;
      expect(writes.map(({ body }) => body.connections)).toContainEqual(now);
      expect(await changed({ connections: [] })).toMatchObject({ connections: [] });
    },
  );

  row(
    ['mcp-servers.1', 'mcp-servers.3'],
    'is listed when it is not active, for every key of the account',
    async () => {
      const { mcpServerToken } = await create();
      expect((await change(mcpServerToken, { isActive: false })).body.isActive).toBe(false);
      const member = await createUser(account, { role: 'member' });
      const seen = expectList(await get(path, member)).items;
      expect(seen).toEqual(await listServers());
      expect(seen.find((it) => it.mcpServerToken === mcpServerToken)).toMatchObject({ isActive: false });
      expect((await change(mcpServerToken, { isActive: true })).body.isActive).toBe(true);
    },
  );

  row(
    ['completion.mcp-servers.7', 'completion.mcp-servers.8'],
    'refuses null and repeated entries with their field, and what does not exist; nothing is applied by halves',
    async () => {
      const { mcpServerToken } = await create({
        connections: [entry([LIST])],
        workflows: [{ workflowToken }],
      });
      const before = (await read(mcpServerToken)).body;
      const count = (await listServers()).length;
      for (const [wrong, field] of [
        [{ connections: null }, 'connections'],
        [{ workflows: null }, 'workflows'],
        [{ connections: [entry(), entry([])] }, 'connections[1].connectionId'],
        [{ connections: [entry([LIST, LIST])] }, 'connections[0].tools[1]'],
        [{ workflows: [{ workflowToken }, { workflowToken }] }, 'workflows[1].workflowToken'],
        [{ connections: [{ tools: null }] }, 'connections[0].connectionId'],
        [{ isActive: null }, 'isActive'],
        [{ toolsetId: 'none' }, 'toolsetId'],
      ] as const) {
        expectError(await change(mcpServerToken, { name: 'Half', ...wrong }), 400, 'VALIDATION_ERROR', [
          field,
        ]);
        if ('isActive' in wrong) continue;
        expectError(await post(adminPath, { name: 'Half', ...wrong }, account), 400, 'VALIDATION_ERROR', [
          field,
        ]);
      }
      for (const unknown of [
        { connections: [entry([LIST]), { connectionId: 2_000_000_000 }] },
        { connections: [entry(['sandbox-crm-list-contact'])] },
        { workflows: [{ workflowToken }, { workflowToken: randomUUID() }] },
        { toolsetId: randomUUID() },
      ]) {
        expectError(await change(mcpServerToken, { name: 'Half', ...unknown }), 404, 'NOT_FOUND');
        expectError(await post(adminPath, { name: 'Half', ...unknown }, account), 404, 'NOT_FOUND');
      }
      expect((await read(mcpServerToken)).body).toEqual(before);
      expect(await listServers()).toHaveLength(count);
    },
  );

  row(
    ['completion.everywhere.77', 'completion.mcp-servers.8'],
    'refuses a misspelt member with the nearest name, on creation and change; nothing is saved',
    async () => {
      const before = await create({ connections: [entry([LIST])] });
      const count = (await listServers()).length;
      for (const [wrong, field, advice] of [
        [{ conections: [] }, 'conections', 'connections'],
        [{ toolsetID: null }, 'toolsetID', 'toolsetId'],
        [{ isactive: false }, 'isactive', 'isActive'],
        [{ connections: [{ connectionId, tool: [LIST] }] }, 'connections[0].tool', 'tools'],
        [{ workflows: [{ workflowtoken: workflowToken }] }, 'workflows[0].workflowtoken', 'workflowToken'],
      ] as const) {
        const answers = [await change(before.mcpServerToken, { name: 'Half', ...wrong })];
        if (field !== 'isactive') answers.push(await post(adminPath, { name: 'Half', ...wrong }, account));
        for (const answer of answers) {
          expect([answer.status, answer.body.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
          expect(answer.body.details).toContainEqual({
            field,
            issue: `is not known here: did you mean ${advice}?`,
          });
        }
      }
      expect((await read(before.mcpServerToken)).body).toEqual(before);
      expect(await listServers()).toHaveLength(count);
    },
  );

  row(
    ['mcp-servers.3', 'mcp-server.1'],
    'that nobody has is a 404 that does not show the token, for every method',
    async () => {
      for (const token of [`mcp_${'canary'.repeat(4)}`, 'canary', 'mcp_', `mcp_${'canary'.repeat(30)}`]) {
        const answers = [
          await read(token),
          await change(token, { name: 'x' }),
          await del(`${adminPath}/${token}`, account),
          await post(`${adminPath}/${token}/rotate`, undefined, account),
          await post(`${adminPath}/${token}/accept-changes`, undefined, account),
        ];
        for (const answer of answers) {
          expectError(answer, 404, 'NOT_FOUND');
          expect(answer.text).not.toContain('canary');
          expect(answer.body.message).toBe('The MCP server does not exist.');
        }
      }
    },
  );

  row(
    ['completion.administration.20', 'completion.mcp-servers.10'],
    'gets a new token at once, and keeps its address without one',
    async () => {
      const { mcpServerToken, ...former } = await create({ connections: [entry()] });
      const answer = await post(`${adminPath}/${mcpServerToken}/rotate`, undefined, account);
      const rotated = expectStatus(answer, 200).body;
      expect(rotated.mcpServerToken).not.toBe(mcpServerToken);
      expect(rotated).toEqual({
        ...former,
        mcpServerToken: rotated.mcpServerToken,
        url: `${stack.mcpUrl}/${rotated.mcpServerToken}/sse`,
        updatedAt: rotated.updatedAt,
      });
      expectError(await read(mcpServerToken), 404, 'NOT_FOUND');
      expectError(await post(`${adminPath}/${mcpServerToken}/rotate`, undefined, account), 404, 'NOT_FOUND');
      expect((await read(rotated.mcpServerToken)).body).toEqual(rotated);
    },
  );

  row(
    ['mcp-server.1', 'completion.administration.28'],
    'is named by its id in the audit log, which never has its token',
    async () => {
      const { mcpServerToken, oauthUrl } = await create();
      await change(mcpServerToken, { isActive: false });
      const rotated = await post(`${adminPath}/${mcpServerToken}/rotate`, undefined, account);
      await del(`${adminPath}/${rotated.body.mcpServerToken}`, account);
      const { text, body } = await get('/admin/v1/audit?top=4', account);
      const [, id] = /\/s\/([^/]+)\//.exec(oauthUrl) ?? [];
      expect(body.items).toMatchObject(
        ['deleteMcpServer', 'rotateMcpServerToken', 'updateMcpServer', 'createMcpServer'].map((action) => ({
          action,
          resource: { type: 'mcpServer', id },
        })),
      );
      expect(text).not.toContain('mcp_');
    },
  );

  row(
    ['completion.administration.18', 'completion.administration.19', 'completion.administration.20'],
    'is created, deleted and given another token by owners and admins only, whatever the RBAC switch',
    async () => {
      const { mcpServerToken } = await create();
      const developer = await createUser(account, { role: 'developer' });
      for (const [method, address] of [
        ['POST', adminPath],
        ['POST', `${adminPath}/${mcpServerToken}/rotate`],
        ['POST', `${adminPath}/${mcpServerToken}/accept-changes`],
        ['DELETE', `${adminPath}/${mcpServerToken}`],
      ] as const)
        expectError(await call(method, address, { ...developer, body: { name: 'x' } }), 403, 'FORBIDDEN');
      const admin = await createUser(account, { role: 'admin' });
      expect((await del(`${adminPath}/${mcpServerToken}`, admin)).status).toBe(204);
    },
  );
});

row(
  ['completion.npm-start.8', 'mcp-servers.1'],
  'every account has a default server, active, empty and for its own clients, until it deletes it',
  async () => {
    const fresh = await createAccount();
    const [server, ...more] = expectList(await get(path, fresh)).items;
    expect(more).toEqual([]);
    expect(server).toMatchObject({
      isActive: true,
      isAnonymousAllowed: false,
      connections: [],
      workflows: [],
    });
    expect((await del(`${adminPath}/${server.mcpServerToken}`, fresh)).status).toBe(204);
    expect(expectList(await get(path, fresh)).items).toEqual([]);
    await removeAccount(fresh);
    expect(expectList(await get(path, stack.otherAccount)).totalCount).toBe(1);
  },
);

row(
  ['mcp-servers.1', 'limits.4', 'limits.5', 'completion.everywhere.8'],
  'the list clamps top to 1 to 100, and takes a negative offset for 0',
  async () => {
    await create();
    const all = await listServers();
    expect(all.length).toBeGreaterThan(1);
    for (const [query, page] of [
      ['', { offset: 0, top: 100 }],
      ['?top=0', { offset: 0, top: 1 }],
      ['?top=-3&offset=-1', { offset: 0, top: 1 }],
      ['?top=101', { offset: 0, top: 100 }],
      ['?top=99999999999999999999&offset=1', { offset: 1, top: 100 }],
      ['?offset=-99999999999999999999&top=1', { offset: 0, top: 1 }],
    ] as const) {
      const { items, ...envelope } = expectList(await get(path + query, account));
      expect(envelope).toEqual({ ...page, totalCount: all.length });
      expect(items).toEqual(all.slice(page.offset, page.offset + page.top));
    }
  },
);

row(
  'completion.everywhere.9',
  'the list refuses an offset or top that is no integer, and one that is empty or given twice',
  async () => {
    for (const text of ['ten', '1.5', '1e1', '', '1&top=2'])
      expectError(await get(`${path}?top=${text}`, account), 400, 'VALIDATION_ERROR', ['top']);
    for (const text of ['x', '0.5', '', '99999999999999'])
      expectError(await get(`${path}?offset=${text}`, account), 400, 'VALIDATION_ERROR', ['offset']);
  },
);
