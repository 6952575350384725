import { describe, expect, it } from 'vitest';
import { accountApi } from '../testing/account-api.ts';

const { call, sent } = accountApi();

const AT = '2026-11-22T10:11:12.000Z';
const TOOLSET = {
  id: 'ts-1',
  name: 'Sales',
  description: null,
  connections: [{ connectionId: 7 }],
  tools: [{ applicationSlug: 'crm', toolSlug: 'list' }],
  workflows: [],
  policy: {
    readOnly: true,
    fixedFields: {},
    callsPerHour: null,
    requireApproval: [],
    approvedByOther: false,
  },
  createdAt: AT,
  updatedAt: AT,
};
const APPROVAL = {
  approvalId: 'ap-1',
  status: 'approved',
  toolsetId: 'ts-1',
  applicationSlug: 'crm',
  toolSlug: 'send',
  connectionId: 7,
  endUserId: 'customer-1',
  fields: { to: 'Ada' },
  query: {},
  files: [
    { field: 'file', name: 'a.txt', contentType: 'text/plain', sizeBytes: 2, sha256: 'abc', text: 'Hi' },
  ],
  requestedBy: 'usr_1',
  decidedBy: 'usr_2',
  expiresAt: AT,
  createdAt: AT,
  updatedAt: AT,
};
const listOf = (...items: object[]) => ({
  status: 200,
  body: { items, totalCount: items.length, offset: 0, top: 100 },
});

describe('toolsets', () => {
  it('create sends every member and shows the toolset', async () => {
    const argv = ['toolsets', 'create', '--name', 'Sales', '--description', 'd'];
    const members = ['--connection', '7', '--connection', '8', '--tool', 'crm/list', '--tool', 'crm/get'];
    const { code, out } = await call([...argv, ...members, '--policy', '{"readOnly":true}'], {
      status: 201,
      body: TOOLSET,
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^Tools +crm\/list$/m);
    expect(sent()).toEqual([
      {
        line: 'POST /v1/toolsets',
        body: {
          name: 'Sales',
          description: 'd',
          connections: [{ connectionId: 7 }, { connectionId: 8 }],
          tools: [
            { applicationSlug: 'crm', toolSlug: 'list' },
            { applicationSlug: 'crm', toolSlug: 'get' },
          ],
          policy: { readOnly: true },
        },
      },
    ]);
  });

  it('update sends what is to change', async () => {
    const argv = ['toolsets', 'update', 'ts-1', '--name', 'New', '--all-tools', '--policy', 'null'];
    argv.push('--workflow', 'wf-1', '--workflow', 'wf-2');
    expect((await call(argv, { status: 200, body: TOOLSET })).code).toBe(0);
    expect(sent()).toEqual([
      {
        line: 'PATCH /v1/toolsets/ts-1',
        body: {
          name: 'New',
          tools: null,
          workflows: [{ workflowToken: 'wf-1' }, { workflowToken: 'wf-2' }],
          policy: null,
        },
      },
    ]);
  });

  it.each([
    ['no name', ['toolsets', 'create']],
    ['a tool without its application', ['toolsets', 'create', '--name', 'x', '--tool', 'list']],
    ['a policy that is no JSON', ['toolsets', 'create', '--name', 'x', '--policy', 'readOnly']],
    ['tools and all tools', ['toolsets', 'update', 'ts-1', '--tool', 'crm/list', '--all-tools']],
    ['an unknown status', ['approvals', 'list', '--status', 'done']],
  ])('%s is a wrong call', async (_, argv) => {
    expect((await call(argv, { status: 200, body: TOOLSET })).code).toBe(2);
    expect(sent()).toEqual([]);
  });

  it('list, get and tools show what is there', async () => {
    expect((await call(['toolsets', 'list'], listOf(TOOLSET, { ...TOOLSET, tools: null }))).out).toMatch(
      /ts-1 +Sales +1 +1\n.*all/,
    );
    const one = await call(['toolsets', 'get', 'ts-1', '--json'], { status: 200, body: TOOLSET });
    expect(JSON.parse(one.out)).toEqual(TOOLSET);
    const tool = { toolSlug: 'list', applicationSlug: 'crm', toolName: 'List' };
    expect((await call(['toolsets', 'tools', 'ts-1'], listOf(tool))).out).toMatch(/list +crm +List/);
    expect(sent()[0]?.line).toMatch(/^GET \/v1\/toolsets\/ts-1\/tools\?/);
  });

  it('delete asks a person to confirm', async () => {
    const argv = ['toolsets', 'delete', 'ts-1'];
    expect((await call(argv, { status: 204 })).code).toBe(2);
    expect(sent()).toEqual([]);
    expect((await call([...argv, '--yes'], { status: 204 })).out).toBe('Deleted toolset ts-1.\n');
    expect(sent()).toEqual([{ line: 'DELETE /v1/toolsets/ts-1', body: undefined }]);
  });
});

describe('approvals', () => {
  it('list shows what waits, with its inputs', async () => {
    const { out } = await call(['approvals', 'list', '--status', 'approved'], listOf(APPROVAL));
    expect(out).toMatch(/ap-1 +approved +send +customer-1 +\{"to":"Ada"\} +a\.txt \(2 bytes, SHA-256 abc\)/);
    expect(sent()[0]?.line).toContain('status=approved');
  });

  it.each(['approve', 'reject'])('%s decides a call', async (decision) => {
    const { code } = await call(['approvals', decision, 'ap-1'], { status: 200, body: APPROVAL });
    expect(code).toBe(0);
    expect(sent()).toEqual([{ line: `POST /v1/approvals/ap-1/${decision}`, body: undefined }]);
  });

  it('a refusal names the approval that a call waits for', async () => {
    const refusal = {
      errorCode: 'APPROVAL_REQUIRED',
      message: 'Wait.',
      requestId: 'r',
      timestamp: AT,
      approvalId: 'ap-1',
    };
    const { err } = await call(['approvals', 'approve', 'ap-1'], { status: 409, body: refusal });
    expect(err).toContain('approval: ap-1');
  });
});
