import { describe, expect, it } from 'vitest';
import { accountApi } from '../testing/account-api.ts';

const { call, sent } = accountApi();

const AT = '2026-11-29T10:11:12.000Z';
const SERVER = {
  mcpServerToken: 'mcp_a1',
  name: 'Sales',
  description: null,
  url: 'https://fairlead.example/mcp/mcp_a1/sse',
  oauthUrl: 'https://fairlead.example/mcp/s/1b7c9d1e/mcp',
  isActive: true,
  isAnonymousAllowed: false,
  connections: [
    { connectionId: 7, applicationSlug: 'crm', tools: ['list', 'get'], identity: 'shared' },
    { connectionId: 8, applicationSlug: 'mail', tools: null, identity: 'user' },
    { connectionId: 9, applicationSlug: 'post', tools: [], identity: 'shared' },
  ],
  workflows: [{ workflowToken: 'wf-1' }],
  toolsetId: null,
  contextBudget: 5_000,
  confirmDestructive: true,
  holdChangedTools: true,
  changedTools: [{ applicationSlug: 'mcp-9', toolSlug: 'send', changedAt: AT }],
  schemas: 'portable',
  createdAt: AT,
  updatedAt: AT,
};
const PAGE = { items: [SERVER, { ...SERVER, isActive: false }], totalCount: 2, offset: 0, top: 100 };

describe('mcp-servers', () => {
  it('create sends every member and shows the server', async () => {
    const argv = ['mcp-servers', 'create', '--name', 'Sales', '--description', 'd', '--anonymous'];
    argv.push('--connection', '7=list,get', '--connection', '8', '--workflow', 'wf-1');
    argv.push(
      '--confirm-destructive',
      '--context-budget',
      '5000',
      '--toolset',
      'ts-1',
      '--schemas',
      'original',
      '--hold-changed-tools',
    );
    const { code, out } = await call(argv, { status: 201, body: SERVER });
    expect(code).toBe(0);
    expect(out).toMatch(/^Address +https:\/\/fairlead\.example\/mcp\/mcp_a1\/sse$/m);
    expect(out).toMatch(
      /^Connections +7 \(crm: list, get\); 8 \(mail: all tools; each user has their own connection\); 9 \(post: no tools\)$/m,
    );
    expect(sent()).toEqual([
      {
        line: 'POST /admin/v1/mcpservers',
        body: {
          name: 'Sales',
          description: 'd',
          isAnonymousAllowed: true,
          connections: [{ connectionId: 7, tools: ['list', 'get'] }, { connectionId: 8 }],
          workflows: [{ workflowToken: 'wf-1' }],
          toolsetId: 'ts-1',
          contextBudget: 5_000,
          confirmDestructive: true,
          holdChangedTools: true,
          schemas: 'original',
        },
      },
    ]);
  });

  it('create admits nobody without a credential unless it is told to', async () => {
    await call(['mcp-servers', 'create', '--name', 'Sales'], { status: 201, body: SERVER });
    expect(sent()[0]?.body).toEqual({ name: 'Sales', isAnonymousAllowed: false });
  });

  it.each([
    [['--no-active'], { isActive: false }],
    [['--active', '--name', 'New'], { isActive: true, name: 'New' }],
    [['--no-toolset'], { toolsetId: null }],
    [['--toolset', 'ts-1'], { toolsetId: 'ts-1' }],
    [['--context-budget', '1'], { contextBudget: 1 }],
    [['--no-context-budget'], { contextBudget: null }],
    [['--no-confirm-destructive'], { confirmDestructive: false }],
    [['--no-hold-changed-tools'], { holdChangedTools: false }],
    [['--connection', '7'], { connections: [{ connectionId: 7 }] }],
    [['--own-connection', '8=a'], { connections: [{ connectionId: 8, tools: ['a'], identity: 'user' }] }],
    [
      ['--own-connection', '8', '--connection', '7'],
      { connections: [{ connectionId: 7 }, { connectionId: 8, identity: 'user' }] },
    ],
  ])('update %j sends what is to change', async (options, body) => {
    const { code } = await call(['mcp-servers', 'update', 'mcp_a1', ...options], {
      status: 200,
      body: SERVER,
    });
    expect(code).toBe(0);
    expect(sent()).toEqual([{ line: 'PATCH /v1/mcpservers/mcp_a1', body }]);
  });

  it.each([
    ['no name', ['create']],
    ['an id that is none', ['create', '--name', 'x', '--connection', 'crm']],
    ['an empty list of tools', ['create', '--name', 'x', '--connection', '7=']],
    ['two lists of tools', ['create', '--name', 'x', '--connection', '7=a=b']],
    ['a budget that is no number', ['update', 'mcp_a1', '--context-budget', 'much']],
    ['an unknown form', ['update', 'mcp_a1', '--schemas', 'strict']],
  ])('%s is a wrong call', async (_, argv) => {
    expect((await call(['mcp-servers', ...argv], { status: 200, body: SERVER })).code).toBe(2);
    expect(sent()).toEqual([]);
  });

  it('list and show print what is there', async () => {
    const { out } = await call(['mcp-servers', 'list'], { status: 200, body: PAGE });
    expect(out).toMatch(/mcp_a1 +Sales +yes +no +3 +1\nmcp_a1 +Sales +no/);
    expect(sent()[0]?.line).toMatch(/^GET \/v1\/mcpservers\?/);
    const one = await call(['mcp-servers', 'show', 'mcp_a1', '--json'], { status: 200, body: SERVER });
    expect(JSON.parse(one.out)).toEqual(SERVER);
    expect(sent()).toEqual([{ line: 'GET /v1/mcpservers/mcp_a1', body: undefined }]);
  });

  it('accept-changes shows the server, whose properties name the tools that are held', async () => {
    const { code, out } = await call(['mcp-servers', 'accept-changes', 'mcp_a1'], {
      status: 200,
      body: SERVER,
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^Changed tools +mcp-9\/send \(since 2026-11-29T10:11:12\.000Z\)$/m);
    expect(sent()).toEqual([{ line: 'POST /admin/v1/mcpservers/mcp_a1/accept-changes', body: undefined }]);
  });

  it('rotate and delete ask a person to confirm', async () => {
    for (const verb of ['rotate', 'delete']) {
      expect((await call(['mcp-servers', verb, 'mcp_a1'], { status: 204 })).code).toBe(2);
      expect(sent()).toEqual([]);
    }
    const rotate = ['mcp-servers', 'rotate', 'mcp_a1', '--yes'];
    const rotated = await call(rotate, { status: 200, body: { ...SERVER, mcpServerToken: 'mcp_b2' } });
    expect(rotated.out).toMatch(/^Token +mcp_b2$/m);
    expect(sent()).toEqual([{ line: 'POST /admin/v1/mcpservers/mcp_a1/rotate', body: undefined }]);
    const deleted = await call(['mcp-servers', 'delete', 'mcp_a1', '--yes'], { status: 204 });
    expect(deleted.out).toBe('Deleted MCP server mcp_a1.\n');
    expect(sent()).toEqual([{ line: 'DELETE /admin/v1/mcpservers/mcp_a1', body: undefined }]);
  });
});
