import type { JsonObject } from '@fairlead/connector-model/json';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, expectList, get, patch, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { startToolServer } from './support/tool-server.ts';
import type { ToolServer } from './support/tool-server.ts';

const TEXT = { type: 'string' };

/** A tool of an MCP server, with input `id`. */
const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: 'object', properties: { id: TEXT, reason: TEXT } },
  ...more,
});

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const servers: ToolServer[] = [];
async function serve(...tools: readonly JsonObject[]): Promise<ToolServer> {
  const server = await startToolServer(account, tools);
  servers.push(server);
  return server;
}
afterAll(() => Promise.all(servers.map((server) => server.close())));

type Members = Readonly<Record<string, unknown>>;

/** A toolset with these connections. */
async function toolset(connectionIds: readonly number[], more: Members = {}): Promise<string> {
  const connections = connectionIds.map((connectionId) => ({ connectionId }));
  return expectStatus(await post('/v1/toolsets', { name: 'Held', connections, ...more }, account), 201).body
    .id;
}

function execute(toolsetId: string, slug: string, fields: Members = {}, query = '') {
  return post(`/v1/tools/${slug}/execute?toolsetId=${toolsetId}${query}`, { fields }, account);
}

const listed = async (toolsetId: string) => expectList(await get(`/v1/toolsets/${toolsetId}/tools`, account));

/** The current slug of the server's tool. */
async function slugOf({ applicationSlug }: ToolServer, name: string): Promise<string> {
  const { items } = expectList(await get(`/v1/tools?applicationSlug=${applicationSlug}`, account));
  return items.find((it) => it.toolName === name)?.toolSlug ?? `no tool ${name}`;
}

function expectHeld({ body, ...answer }: Answer): void {
  const { approvalId, ...envelope } = body;
  expectError({ ...answer, body: envelope }, 409, 'APPROVAL_REQUIRED');
  expect(approvalId).toBeDefined();
}

const change = async (id: string, members: Members): Promise<void> => {
  expectStatus(await patch(`/v1/toolsets/${id}`, members, account), 200);
};

/** A tool that the server adds so that `DeleteItem` loses its slug, and the tool that then has the slug. */
const MOVES = [
  { added: 'delete_item', holder: undefined },
  { added: 'delete-item', holder: 'delete-item' },
];

describe('A slug in a policy means the tool that it named when the policy was saved', () => {
  row(
    [
      'completion.toolsets-and-workflows.51',
      'completion.toolsets-and-workflows.6',
      'completion.toolsets-and-workflows.46',
    ],
    'for requireApproval, however the server moves the slug and the call comes',
    async () => {
      for (const { added, holder } of MOVES) {
        const server = await serve(tool('DeleteItem'));
        const { connectionId } = server;
        const slug = `flow-${connectionId}`;
        const steps = [{ id: 'gone', toolSlug: 'delete-item', applicationSlug: server.applicationSlug }];
        const made = await post('/v1/workflows', { name: 'Flow', slug, steps }, account);
        const { workflowToken } = expectStatus(made, 201).body;
        const workflows = [{ workflowToken }];
        const policy = { requireApproval: ['delete-item'] };
        const id = await toolset([connectionId], { workflows, policy });
        expectHeld(await execute(id, 'delete-item'));
        await server.setTools([tool('DeleteItem'), tool(added)]);
        const moved = await slugOf(server, 'DeleteItem');
        expect(moved).not.toBe('delete-item');
        for (const query of ['', `&connectionId=${connectionId}`])
          expectHeld(await execute(id, moved, {}, query));
        const moving = [{ id: 'gone', toolSlug: moved }];
        expectStatus(await patch(`/v1/workflows/${workflowToken}`, { steps: moving }, account), 200);
        expect((await execute(id, slug)).body).toMatchObject({
          isSuccess: false,
          errorMessage: expect.stringContaining('APPROVAL_REQUIRED') as string,
        });
        expect(server.calls).toEqual([]);
        // The policy does not move to another tool.
        const other = await slugOf(server, added);
        expect(other === 'delete-item').toBe(holder !== undefined);
        expect((await execute(id, other)).body).toMatchObject({ isSuccess: true });
        expect(server.calls).toEqual([{ name: added, arguments: {} }]);

        await server.setTools([tool(added)]);
        await change(id, { name: 'Renamed' });
        await server.setTools([tool(added), tool('DeleteItem')]);
        expectHeld(await execute(id, moved));
        // After saving again, the slug also means the tool that has it now, if any.
        await change(id, { policy: { ...policy, callsPerHour: 100 } });
        expectHeld(await execute(id, moved));
        if (holder !== undefined) expectHeld(await execute(id, other));
        expect(server.calls).toHaveLength(1);
        await change(id, { policy: { callsPerHour: 100 } });
        expect((await execute(id, moved)).body).toMatchObject({ isSuccess: true });
      }
    },
  );

  row(
    [
      'completion.toolsets-and-workflows.51',
      'completion.toolsets-and-workflows.13',
      'completion.toolsets-and-workflows.14',
    ],
    'for fixedFields, which override and leave the inputSchema',
    async () => {
      for (const { added } of MOVES) {
        const server = await serve(tool('DeleteItem'));
        const { connectionId } = server;
        const policy = { fixedFields: { 'delete-item': { id: 'fixed' } } };
        const id = await toolset([connectionId], { policy });
        await server.setTools([tool(added), tool('DeleteItem')]);
        const [moved, other] = [await slugOf(server, 'DeleteItem'), await slugOf(server, added)];
        const dry = await execute(id, moved, { id: 'evil' }, '&dryRun=true');
        expect([dry.text.includes('fixed'), dry.text.includes('evil')]).toEqual([true, false]);
        await execute(id, moved, { id: 'evil', reason: 'r' });
        await execute(id, moved, { id: 'evil' }, `&connectionId=${connectionId}`);
        await execute(id, other, { id: 'mine' });
        expect(server.calls).toEqual([
          { name: 'DeleteItem', arguments: { id: 'fixed', reason: 'r' } },
          { name: 'DeleteItem', arguments: { id: 'fixed' } },
          { name: added, arguments: { id: 'mine' } },
        ]);
        const { items } = await listed(id);
        const inputs = items.map((it) => [it.toolSlug, Object.keys(it.inputSchema.properties)]);
        expect(new Map(inputs as [string, string[]][])).toEqual(
          new Map([
            [moved, ['reason']],
            [other, ['id', 'reason']],
          ]),
        );
        expect((await get(`/v1/toolsets/${id}`, account)).body.policy).toMatchObject(policy);
      }
    },
  );

  row(
    ['completion.toolsets-and-workflows.51', 'completion.toolsets-and-workflows.14'],
    'and refuses a tool of which the server has renamed an input that the policy fixes',
    async () => {
      const server = await serve(tool('SendItem'));
      const policy = { fixedFields: { 'send-item': { id: 'fixed' } } };
      const id = await toolset([server.connectionId], { policy });
      await server.setTools([
        tool('SendItem', { inputSchema: { type: 'object', properties: { itemId: TEXT } } }),
      ]);
      const called = [await execute(id, 'send-item', { itemId: 'evil' })];
      called.push(await execute(id, 'send-item', { itemId: 'evil' }, '&dryRun=true'));
      for (const refused of called) expectError(refused, 403, 'TOOL_NOT_IN_TOOLSET');
      expect(server.calls).toEqual([]);
      await server.setTools([tool('SendItem')]);
      expect((await execute(id, 'send-item', { id: 'evil' })).body).toMatchObject({ isSuccess: true });
      expect(server.calls).toEqual([{ name: 'SendItem', arguments: { id: 'fixed' } }]);
    },
  );

  row(
    'completion.toolsets-and-workflows.51',
    'in every connection to the server, and in what is added to the toolset later',
    async () => {
      const server = await serve(tool('DropItem'));
      const id = await toolset([server.connectionId], { policy: { requireApproval: ['drop-item'] } });
      const again = await server.connect();
      // Another server has a tool with this slug under another name.
      const another = await serve(tool('drop_item'));
      const connections = [server.connectionId, again, another.connectionId];
      await change(id, { connections: connections.map((connectionId) => ({ connectionId })) });
      for (const connectionId of connections)
        expectHeld(await execute(id, 'drop-item', {}, `&connectionId=${connectionId}`));
      await another.setTools([tool('drop_item'), tool('drop-item')]);
      const moved = await slugOf(another, 'drop_item');
      expectHeld(await execute(id, moved, {}, `&connectionId=${another.connectionId}`));
      expect([...server.calls, ...another.calls]).toEqual([]);
    },
  );
});

row(
  ['completion.toolsets-and-workflows.51', 'completion.toolsets-and-workflows.2'],
  'A tool in the list of a toolset is the one that its slug named when the list was saved',
  async () => {
    const server = await serve(tool('ReadItem'));
    const { connectionId, applicationSlug } = server;
    const tools = [{ applicationSlug, toolSlug: 'read-item' }];
    const id = await toolset([connectionId], { tools });
    await server.setTools([tool('ReadItem'), tool('read-item', { description: 'Deletes.' })]);
    const moved = await slugOf(server, 'ReadItem');
    const { items, totalCount } = await listed(id);
    expect([items.map((it) => it.toolSlug), totalCount]).toEqual([[moved], 1]);
    for (const query of ['', `&connectionId=${connectionId}`])
      expectError(await execute(id, 'read-item', {}, query), 403, 'TOOL_NOT_IN_TOOLSET');
    expect((await execute(id, moved)).body).toMatchObject({ isSuccess: true });
    expect(server.calls).toEqual([{ name: 'ReadItem', arguments: {} }]);
    expect((await get(`/v1/toolsets/${id}`, account)).body.tools).toEqual(tools);
  },
);

row(
  'completion.toolsets-and-workflows.57',
  'A fixed input that the tool does not have is refused, also one of a workflow; one that it may have is not',
  async () => {
    const open = { inputSchema: { type: 'object', additionalProperties: true } };
    const closed = { inputSchema: { type: 'object', properties: { id: TEXT }, additionalProperties: false } };
    const oneOf = [{ properties: { a: TEXT } }, { properties: {} }];
    const parts = { inputSchema: { type: 'object', properties: { id: TEXT }, oneOf } };
    const { connectionId } = await serve(
      tool('close-it', closed),
      tool('open-it', open),
      tool('part-it', parts),
    );
    const inputSchema = { type: 'object', properties: { name: TEXT } };
    const steps = [{ id: 'one', toolSlug: 'open-it' }];
    const flow = { name: 'Flow', slug: 'flow-fixed', inputSchema, steps };
    const { workflowToken } = expectStatus(await post('/v1/workflows', flow, account), 201).body;
    const members = { connections: [{ connectionId }], workflows: [{ workflowToken }] };
    const create = (fixedFields: Members) =>
      post('/v1/toolsets', { name: 'Fixed', ...members, policy: { fixedFields } }, account);
    const good = {
      'close-it': { id: 'x' },
      'open-it': { anything: 1 },
      'part-it': { a: 'x' },
      'flow-fixed': { name: 'x' },
      'sandbox-crm-create-contact': { company: 'ACME' },
    };
    const { id } = expectStatus(await create(good), 201).body;
    const wrong = { 'close-it': { ids: 'x' }, 'part-it': { b: 1 }, 'flow-fixed': { names: 1, name: 2 } };
    const fields = ['close-it.ids', 'part-it.b', 'flow-fixed.names', 'sandbox-crm-create-contact.kompany'];
    const bad = { ...good, ...wrong, 'sandbox-crm-create-contact': { kompany: 'ACME' } };
    const named = fields.map((field) => `policy.fixedFields.${field}`);
    expectError(await create(bad), 400, 'VALIDATION_ERROR', named);
    const again = await patch(`/v1/toolsets/${id}`, { policy: { fixedFields: bad } }, account);
    expectError(again, 400, 'VALIDATION_ERROR', named);
    expect((await get(`/v1/toolsets/${id}`, account)).body.policy.fixedFields).toEqual(good);
  },
);

describe('A hint of an MCP server loosens nothing:', () => {
  row(
    ['completion.toolsets-and-workflows.52', 'completion.toolsets-and-workflows.4'],
    'a tool that calls itself read-only neither runs under readOnly nor is listed',
    async () => {
      const server = await serve(tool('peek', { annotations: { readOnlyHint: true, idempotentHint: true } }));
      const { connectionId } = server;
      const id = await toolset([connectionId], { policy: { readOnly: true } });
      for (const query of ['', `&connectionId=${connectionId}`, '&dryRun=true'])
        expectError(await execute(id, 'peek', {}, query), 403, 'TOOL_NOT_IN_TOOLSET');
      expect(await listed(id)).toMatchObject({ items: [], totalCount: 0 });
      const tools = [{ applicationSlug: server.applicationSlug, toolSlug: 'peek' }];
      const naming = await toolset([connectionId], { tools, policy: { readOnly: true } });
      expect(await listed(naming)).toMatchObject({ items: [], totalCount: 0 });
      const steps = [{ id: 'look', toolSlug: 'peek' }];
      const flow = { name: 'Flow', slug: 'flow-peek', steps };
      const { workflowToken } = expectStatus(await post('/v1/workflows', flow, account), 201).body;
      const workflows = [{ workflowToken }];
      const running = await toolset([connectionId], { workflows, policy: { readOnly: true } });
      const { body } = await execute(running, 'flow-peek');
      expect(body).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringContaining('TOOL_NOT_IN_TOOLSET') as string,
      });
      expect(server.calls).toEqual([]);
    },
  );

  row(
    'completion.toolsets-and-workflows.40',
    'a step of a workflow does not retry a tool that calls itself idempotent',
    async () => {
      await serve(tool('again', { annotations: { readOnlyHint: true, idempotentHint: true } }));
      const steps = [{ id: 'once', toolSlug: 'again', onError: 'retry' }];
      const flow = { name: 'Flow', slug: 'flow-again', steps };
      expectError(await post('/v1/workflows', flow, account), 400, 'VALIDATION_ERROR', ['steps[0].onError']);
    },
  );
});

/** How a toolset changes during the server's handshake, and how the call ends. */
const CHANGES: readonly {
  readonly name: string;
  readonly change: (toolsetId: string, slug: string) => Promise<Answer>;
  readonly expected: (answer: Answer) => void;
}[] = [
  {
    name: 'is readOnly',
    change: (id) => patch(`/v1/toolsets/${id}`, { policy: { readOnly: true } }, account),
    expected: (answer) => expectError(answer, 403, 'TOOL_NOT_IN_TOOLSET'),
  },
  {
    name: 'demands an approval',
    change: (id, slug) => patch(`/v1/toolsets/${id}`, { policy: { requireApproval: [slug] } }, account),
    expected: expectHeld,
  },
  {
    name: 'has lost its connection',
    change: (id) => patch(`/v1/toolsets/${id}`, { connections: [] }, account),
    expected: (answer) => expectError(answer, 403, 'CONNECTION_NOT_IN_TOOLSET'),
  },
  {
    name: 'is deleted',
    change: (id) => del(`/v1/toolsets/${id}`, account),
    expected: (answer) => expectError(answer, 404, 'NOT_FOUND'),
  },
];

describe.each(CHANGES)('a toolset that $name while a server shakes hands', ({ change, expected }) => {
  row(
    'completion.toolsets-and-workflows.53',
    'holds for the call that waits for the session: nothing is executed, and no row is left',
    async () => {
      const server = await serve(tool('Send'));
      const slug = await slugOf(server, 'Send');
      const id = await toolset([server.connectionId]);
      const query = `/v1/executions?connectionId=${server.connectionId}`;
      const handshake = server.holdHandshakes();
      const answer = execute(id, slug, { id: '1' }, `&connectionId=${server.connectionId}`);
      await handshake;
      expect((await change(id, slug)).status).toBeLessThan(300);
      server.release();
      expected(await answer);
      expect(server.calls).toEqual([]);
      expect(expectList(await get(query, account)).totalCount).toBe(0);
    },
  );
});
