import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { EntryIdentity, McpServerSchema, SchemaForm } from '@fairlead/contracts/mcp/v1/mcp_server_pb';
import { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import { notFound } from '@fairlead/errors/api-error';
import { call, TEST_PUBLIC_URL } from '@fairlead/rest-kit/testing/edge';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGatewayEdge } from '../testing/edge.ts';
import { startRemote } from '../testing/remote.ts';
import { routeTable } from './route-table.ts';

const ID = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
const TOOLSET = '1b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
const TOKEN = 'mcp_canary0123456789abcd';
const NEXT = 'mcp_rotated0123456789abc';
const PATH = `/v1/mcpservers/${TOKEN}`;
const ADMIN_PATH = `/admin/v1/mcpservers/${TOKEN}`;
const AT = '2026-11-22T10:00:00.000Z';
const createdAt = timestampFromDate(new Date(AT));
const tokenHash = createHash('sha256').update(TOKEN).digest('base64url');

const full = create(McpServerSchema, {
  id: ID,
  token: TOKEN,
  name: 'Sales',
  isActive: true,
  connections: [
    {
      connectionId: 1,
      applicationSlug: 'crm',
      tools: { slugs: ['list'] },
      identity: EntryIdentity.SHARED,
    },
    { connectionId: 2, applicationSlug: 'crm', identity: EntryIdentity.USER },
  ],
  workflowTokens: ['wf'],
  settings: {
    schemas: SchemaForm.ORIGINAL,
    toolsetId: TOOLSET,
    contextBudget: 5_000,
    confirmDestructive: true,
    holdChangedTools: true,
  },
  changedTools: [{ tool: { applicationSlug: 'mcp-2', toolSlug: 'send' }, changedAt: createdAt }],
  createdAt,
  updatedAt: createdAt,
});
const presented = {
  mcpServerToken: TOKEN,
  name: 'Sales',
  description: null,
  url: `${TEST_PUBLIC_URL}/mcp/${TOKEN}/sse`,
  oauthUrl: `${TEST_PUBLIC_URL}/mcp/s/${ID}/mcp`,
  isActive: true,
  isAnonymousAllowed: false,
  connections: [
    { connectionId: 1, applicationSlug: 'crm', tools: ['list'], identity: 'shared' },
    { connectionId: 2, applicationSlug: 'crm', tools: null, identity: 'user' },
  ],
  workflows: [{ workflowToken: 'wf' }],
  toolsetId: TOOLSET,
  contextBudget: 5_000,
  confirmDestructive: true,
  holdChangedTools: true,
  changedTools: [{ toolSlug: 'send', applicationSlug: 'mcp-2', changedAt: AT }],
  schemas: 'original',
  createdAt: AT,
  updatedAt: AT,
};

/** The requests to the services, in order. */
let asked: Record<string, unknown>[] = [];
let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const capture = ({
    $typeName: _type,
    $unknown: _unknown,
    ...request
  }: object & Record<string, unknown>) => {
    asked.push(request);
    if (request['tokenHash'] !== undefined && request['tokenHash'] !== tokenHash)
      throw notFound('MCP server');
  };
  const answerWith =
    <R>(response: R) =>
    (request: object): R => {
      capture({ ...request });
      return response;
    };
  const remote = await startRemote((router) =>
    router.service(McpServerService, {
      listMcpServers: answerWith({ items: [full], totalCount: 1 }),
      getMcpServer: answerWith({ server: full }),
      createMcpServer: answerWith({ server: full }),
      updateMcpServer: answerWith({ server: full }),
      deleteMcpServer: answerWith({}),
      acceptChanges: answerWith({ server: full }),
      rotateToken: answerWith({ server: create(McpServerSchema, { ...full, token: NEXT }) }),
    }),
  );
  edge = await startGatewayEdge({ routes: routeTable, services: remote.services });
  close = async () => {
    await edge.close();
    await remote.close();
  };
});
afterAll(() => close());
beforeEach(() => {
  asked = [];
});

test('a server is created with its defaults, and shown with its addresses', async () => {
  const { status, body } = await call(edge, 'POST', '/admin/v1/mcpservers', { json: { name: 'Sales' } });
  expect([status, body['text']]).toEqual([201, JSON.stringify(presented)]);
  expect(asked).toMatchObject([
    {
      name: 'Sales',
      description: '',
      isAnonymousAllowed: false,
      connections: [],
      workflowTokens: [],
      settings: { schemas: SchemaForm.PORTABLE, confirmDestructive: false, holdChangedTools: false },
    },
  ]);
  for (const name of ['toolsetId', 'contextBudget']) expect(asked[0]?.['settings']).not.toHaveProperty(name);
});

test('a server is created with all that is sent', async () => {
  const json = {
    name: 'Sales',
    description: 'd',
    isAnonymousAllowed: true,
    connections: [
      { connectionId: 1, applicationSlug: 'crm', tools: ['list'] },
      { connectionId: 2, tools: null, identity: 'user' },
      { connectionId: 3, tools: [], identity: 'shared' },
    ],
    workflows: [{ workflowToken: 'wf' }],
    toolsetId: TOOLSET.toUpperCase(),
    contextBudget: 10_000_000,
    confirmDestructive: true,
    holdChangedTools: true,
    schemas: 'original',
  };
  expect((await call(edge, 'POST', '/admin/v1/mcpservers', { json })).status).toBe(201);
  expect(asked).toMatchObject([
    {
      description: 'd',
      isAnonymousAllowed: true,
      connections: [
        {
          connectionId: 1,
          applicationSlug: '',
          tools: { slugs: ['list'] },
          identity: EntryIdentity.SHARED,
        },
        { connectionId: 2, identity: EntryIdentity.USER },
        { connectionId: 3, tools: { slugs: [] }, identity: EntryIdentity.SHARED },
      ],
      workflowTokens: ['wf'],
      settings: {
        toolsetId: TOOLSET,
        contextBudget: 10_000_000,
        confirmDestructive: true,
        holdChangedTools: true,
        schemas: SchemaForm.ORIGINAL,
      },
    },
  ]);
  expect(asked).not.toMatchObject([{ connections: [{}, { tools: expect.anything() as unknown }, {}] }]);
});

test('a change holds only what was sent, and null where it means something', async () => {
  expect((await call(edge, 'PATCH', PATH, { json: {} })).body['text']).toBe(JSON.stringify(presented));
  expect(asked[0]).toEqual({
    tokenHash,
    name: undefined,
    description: undefined,
    isActive: undefined,
    connections: undefined,
    workflows: undefined,
    confirmDestructive: undefined,
    holdChangedTools: undefined,
    schemas: SchemaForm.UNSPECIFIED,
    contextBudgetChange: { case: undefined },
    toolsetChange: { case: undefined },
  });
  const json = {
    description: null,
    isActive: false,
    connections: [],
    workflows: [],
    toolsetId: null,
    contextBudget: null,
  };
  await call(edge, 'PATCH', PATH, { json });
  expect(asked[1]).toMatchObject({
    description: '',
    isActive: false,
    connections: { items: [] },
    workflows: { tokens: [] },
    toolsetChange: { case: 'noToolset', value: true },
    contextBudgetChange: { case: 'noContextBudget', value: true },
  });
  await call(edge, 'PATCH', PATH, {
    json: {
      toolsetId: TOOLSET,
      contextBudget: 1,
      confirmDestructive: false,
      schemas: 'portable',
      holdChangedTools: false,
      name: 'New',
    },
  });
  expect(asked[2]).toMatchObject({
    name: 'New',
    schemas: SchemaForm.PORTABLE,
    holdChangedTools: false,
    toolsetChange: { case: 'toolsetId', value: TOOLSET },
    contextBudgetChange: { case: 'contextBudget', value: 1 },
    confirmDestructive: false,
  });
});

test.each([true, false, null, 'yes'])(
  'a change ignores isAnonymousAllowed: %s',
  async (isAnonymousAllowed) => {
    expect((await call(edge, 'PATCH', PATH, { json: { isAnonymousAllowed } })).status).toBe(200);
    expect(Object.keys(asked[0] ?? {})).not.toContain('isAnonymousAllowed');
  },
);

describe.each([
  ['POST', '/admin/v1/mcpservers', { name: 'x' }],
  ['PATCH', PATH, {}],
])('%s', (method, path, smallest) => {
  test.each<[string, object, string?]>([
    ['connections', { connections: null }],
    ['workflows', { workflows: null }],
    ['connections[0].connectionId', { connections: [{}] }],
    ['connections[0].connectionId', { connections: [{ connectionId: 0 }] }],
    ['connections[1].connectionId', { connections: [{ connectionId: 1 }, { connectionId: 1, tools: [] }] }],
    ['connections[0].tools[2]', { connections: [{ connectionId: 1, tools: ['a', 'b', 'a'] }] }],
    ['connections[0].tool', { connections: [{ connectionId: 1, tool: ['a'] }] }, 'did you mean tools?'],
    ['connections[0].identity', { connections: [{ connectionId: 1, identity: null }] }],
    [
      'connections[0].identify',
      { connections: [{ connectionId: 1, identify: 'user' }] },
      'did you mean identity?',
    ],
    ['workflows[1].workflowToken', { workflows: [{ workflowToken: 'wf' }, { workflowToken: 'wf' }] }],
    ['workflows[0].workflowToken', { workflows: [{}] }],
    ['workflows[0].workflowId', { workflows: [{ workflowToken: 'wf', workflowId: 1 }] }],
    ['toolsetId', { toolsetId: 'none' }],
    ['toolsetID', { toolsetID: TOOLSET }, 'did you mean toolsetId?'],
    ['conections', { conections: [] }, 'did you mean connections?'],
    ['contextBudget', { contextBudget: 0 }],
    ['contextBudget', { contextBudget: 10_000_001 }],
    ['contextBudget', { contextBudget: 1.5 }],
    ['contextBudget', { contextBudget: '1000' }],
    ['confirmDestructive', { confirmDestructive: 'yes' }],
    ['confirmDestructive', { confirmDestructive: null }],
    ['holdChangedTools', { holdChangedTools: null }],
    ['changedTools', { changedTools: [] }],
    ['mcpServerToken', { mcpServerToken: TOKEN }],
    ['schemas', { schemas: 1 }],
    ['name', { name: '' }],
  ])('%s of the wrong form is named: %o', async (field, sent, advice = '') => {
    const answer = await call(edge, method, path, { json: { ...smallest, ...sent } });
    expect([answer.status, answer.body['errorCode']]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body['details']).toMatchObject([
      { field, issue: expect.stringContaining(advice) as string },
    ]);
    expect(asked).toEqual([]);
  });

  test.each([{ schemas: 'strict' }, { connections: [{ connectionId: 1, identity: 'caller' }] }])(
    'a value that the member does not have is an unknown value: %j',
    async (sent) => {
      const answer = await call(edge, method, path, { json: { ...smallest, ...sent } });
      expect([answer.status, answer.body['errorCode']]).toEqual([400, 'INVALID_ENUM_VALUE']);
    },
  );
});

test('servers are listed in a page that is clamped, and read', async () => {
  const listed = await call(edge, 'GET', '/v1/mcpservers?top=1000&offset=-5');
  expect(listed.body).toMatchObject({ items: [presented], totalCount: 1, offset: 0, top: 100 });
  expect(asked[0]).toMatchObject({ page: { offset: 0, top: 100 } });
  expect((await call(edge, 'GET', PATH)).body['text']).toBe(JSON.stringify(presented));
  expect(asked[1]).toEqual({ tokenHash });
});

test('rotation shows the new token', async () => {
  const { status, body } = await call(edge, 'POST', `${ADMIN_PATH}/rotate`);
  expect([status, body]).toMatchObject([
    200,
    { mcpServerToken: NEXT, url: `${TEST_PUBLIC_URL}/mcp/${NEXT}/sse`, oauthUrl: presented.oauthUrl },
  ]);
});

test('the changed tools are accepted, and the record shown', async () => {
  const { status, body } = await call(edge, 'POST', `${ADMIN_PATH}/accept-changes`);
  expect([status, body['text']]).toEqual([200, JSON.stringify(presented)]);
  expect(asked).toEqual([{ tokenHash }]);
});

test.each(['mcp_unknowncanary', 'canary', 'mcp_canary%00', 'mcp_canary.x', `mcp_${'canary'.repeat(30)}`])(
  'an unknown token, or one of the wrong form, is the same 404 for every method, which does not show it: %s',
  async (token) => {
    const calls = [
      ['GET', `/v1/mcpservers/${token}`],
      ['PATCH', `/v1/mcpservers/${token}`, { json: {} }],
      ['DELETE', `/admin/v1/mcpservers/${token}`],
      ['POST', `/admin/v1/mcpservers/${token}/rotate`],
      ['POST', `/admin/v1/mcpservers/${token}/accept-changes`],
    ] as const;
    for (const [method, path, sent] of calls) {
      const { status, body } = await call(edge, method, path, sent);
      expect([status, body]).toMatchObject([
        404,
        { errorCode: 'NOT_FOUND', message: 'The MCP server does not exist.' },
      ]);
      expect(JSON.stringify(body)).not.toContain('canary');
    }
    expect(JSON.stringify(edge.lines)).not.toContain('canary');
  },
);

test('the audit log names the server’s id; neither it, a log line nor a request to the service has the token', async () => {
  const earlier = edge.audited.length;
  await call(edge, 'POST', '/admin/v1/mcpservers', { json: { name: 'x' } });
  await call(edge, 'PATCH', PATH, { json: { isActive: false } });
  await call(edge, 'POST', `${ADMIN_PATH}/accept-changes`);
  await call(edge, 'POST', `${ADMIN_PATH}/rotate`);
  expect((await call(edge, 'DELETE', ADMIN_PATH)).status).toBe(204);
  const resource = { type: 'mcpServer', id: ID };
  expect(edge.audited.slice(earlier)).toMatchObject([
    { action: 'createMcpServer', resource, details: { members: ['name'] } },
    { action: 'updateMcpServer', resource, details: { members: ['isActive'] } },
    { action: 'acceptChangedTools', resource },
    { action: 'rotateMcpServerToken', resource },
    { action: 'deleteMcpServer', resource },
  ]);
  expect(edge.lines.length).toBeGreaterThan(0);
  expect(JSON.stringify([edge.audited, edge.lines, asked])).not.toMatch(/mcp_/);
});
