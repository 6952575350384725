import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { ManualClock } from '@fairlead/service-kit/clock';
import { LazyJson, parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { Approval } from '../../domain/approval.ts';
import { originOf } from '../../domain/call-origin.ts';
import { approval } from '../../testing/approvals.ts';
import { MemoryFiles, noFiles } from '../../testing/files.ts';
import { connection } from '../../testing/tool-calls.ts';
import { toolset } from '../../testing/toolsets.ts';
import { claimApproval } from './claim-approval.ts';
import type { ClaimApprovalDeps } from './claim-approval.ts';

const SECRET = 'secret-of-the-connection';
const requested: Approval[] = [];

interface ClaimInput {
  readonly mcpServerName?: string;
  /** An approval of an equal call. */
  readonly sentAgain?: Approval;
  readonly requiresOther?: boolean;
}

async function claim(
  named: Approval | undefined,
  open: Approval | 'full' | 'stored' | 'shared' = 'stored',
  fields: LazyObject = {},
  of: Partial<Pick<ClaimApprovalDeps, 'files' | 'fileFetcher'>> = {},
  filtered = '4711',
  present = true,
  ctx = testContext(),
  { mcpServerName, sentAgain, requiresOther = false }: ClaimInput = {},
): Promise<unknown> {
  const deps: Parameters<typeof claimApproval>[0] = {
    ...noFiles,
    ...of,
    approvals: {
      async open(_ctx, _account, _call, request) {
        if (open === 'shared') return approval();
        const wanted = await request();
        requested.push(wanted);
        return open === 'stored' ? wanted : open;
      },
      findOfCall: () => Promise.resolve(sentAgain),
      remove: () => Promise.resolve(),
      claim: (_ctx, _account, id) => Promise.resolve(named?.approvalId === id && named.status === 'approved'),
    },
    connections: { findConnections: () => Promise.resolve([connection()]) },
    toolsets: { find: () => Promise.resolve(present ? toolset() : undefined) },
    fingerprints: { of: () => ['equal', 'equal by a former key'] },
    clock: new ManualClock(approval().createdAt),
  };
  return await claimApproval(deps, ctx, {
    origin: originOf(mcpServerName),
    toolsetId: 't',
    applicationSlug: 'crm',
    toolSlug: 'send',
    toolVersion: '1.0.0',
    connectionId: 7,
    bound: () => Promise.resolve({ connections: [] }),
    endUserId: 'customer-1',
    inputs: {
      fields,
      filters: [{ field: 'pin', operator: 'eq', value: filtered }],
      sorts: [],
      top: 5,
      offset: undefined,
    },
    inputSchema: { properties: { file: { format: 'file' } } },
    leftMs: () => 1_000,
    shownFields: () => parsedMembers(fields),
    masker: () => Promise.resolve(createMasker([SECRET])),
    approval: named,
    requiresOther,
  }).catch((error: unknown) => error);
}

it('uses the approval of exactly this call, also by a former key', async () => {
  const { approvalId } = approval();
  for (const fingerprint of ['equal', 'equal by a former key'])
    expect(await claim(approval({ status: 'approved', fingerprint }))).toMatchObject({
      approvalId,
      status: 'approved',
    });
  const required = { code: 'APPROVAL_REQUIRED' };
  for (const status of ['pending', 'used', 'expired'] as const)
    expect(await claim(approval({ status }))).toMatchObject(required);
  for (const status of ['approved', 'rejected'] as const)
    expect(await claim(approval({ status, fingerprint: 'other' }))).toMatchObject(required);
  expect(await claim(undefined)).toMatchObject(required);
  expect(await claim(approval({ status: 'rejected' }))).toMatchObject({ code: 'FORBIDDEN' });
  const files = new MemoryFiles();
  expect(await claim(undefined, 'full', {}, { files })).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
});

it('tells a client of an MCP server who approves, and to send the same call again', async () => {
  const send = (o: ClaimInput) =>
    claim(undefined, 'stored', {}, {}, '4711', true, testContext(), { mcpServerName: 'Support', ...o });
  expect(await send({ sentAgain: approval({ status: 'rejected' }) })).toMatchObject({ code: 'FORBIDDEN' });
  for (const [requiresOther, who] of [
    [false, 'A user with the permission tools.write'],
    [true, 'A user other than its caller with the permission tools.write'],
  ] as const) {
    const refused = await send({ requiresOther });
    expect(refused).toMatchObject({
      code: 'APPROVAL_REQUIRED',
      approvalId: requested.at(-1)?.approvalId,
      message: expect.stringContaining(who) as string,
    });
    expect(refused).toMatchObject({ message: expect.stringContaining('send the same call again') as string });
  }
});

it('refuses a call of a client without a credential: nobody else could be told from it', async () => {
  const before = requested.length;
  const caller = { kind: 'anonymousClient', accountId: 'acc_1', serverId: 'server-1' } as const;
  const ctx = testContext({ caller });
  const named = approval({ status: 'approved', fingerprint: 'equal' });
  for (const known of [undefined, named])
    expect(await claim(known, 'stored', {}, {}, '4711', true, ctx)).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('the client has no credential') as string,
    });
  expect(requested).toHaveLength(before);
});

it('refuses inputs that nobody would read, and parses none that are too large by themselves', async () => {
  const large = { code: 'VALIDATION_ERROR', details: [{ field: 'fields' }] };
  expect(await claim(undefined, 'stored', { text: 'x'.repeat(256 * 1024) })).toMatchObject(large);
  const list = new LazyJson(Buffer.from('[no JSON'.padEnd(257 * 1024)));
  expect(await claim(undefined, 'stored', { list })).toMatchObject(large);
  const text = new LazyJson(Buffer.from('"no JSON'.padEnd(257 * 1024)));
  expect(await claim(undefined, 'stored', { text })).toMatchObject(large);
});

it('shows whoever approves for which end user it is, and everything that it sends', async () => {
  await claim(undefined, 'stored', { to: '***', text: 'Hi' });
  expect(requested.at(-1)).toMatchObject({
    endUserId: 'customer-1',
    fields: LazyJson.of({ to: '***', text: 'Hi' }),
    query: LazyJson.of({ filters: [{ field: 'pin', operator: 'eq', value: '4711' }], top: 5 }),
  });
});

it('refuses a call that would hide a part of itself behind a secret', async () => {
  const refused = { code: 'VALIDATION_ERROR', details: [{ field: 'fields' }] };
  const before = requested.length;
  for (const fields of [{ to: SECRET }, { to: [{ [SECRET]: 1 }] }, { to: `See ${SECRET}.` }])
    expect(await claim(undefined, 'stored', fields)).toMatchObject(refused);
  expect(await claim(undefined, 'stored', {}, {}, SECRET)).toMatchObject(refused);
  expect(requested).toHaveLength(before);
});

it('removes an approval whose toolset was deleted while it was requested, and what it keeps', async () => {
  const files = new MemoryFiles();
  const { fileFetcher } = fetching('Hi');
  expect(await claim(undefined, 'stored', FILE, { files, fileFetcher }, '4711', false)).toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect(files.held.size).toBe(0);
});

const FILE = { file: { url: 'https://files.test/a.txt' } };
const fetching = (text: string) => {
  const fetched: string[] = [];
  const fileFetcher: ClaimApprovalDeps['fileFetcher'] = {
    fetch(_ctx, url) {
      fetched.push(url);
      const content = Buffer.from(text);
      return Promise.resolve({ kind: 'fetched', content, name: '/a.txt', contentType: 'text/plain' });
    },
  };
  return { fetched, fileFetcher };
};

it('fetches and keeps the files of a call once, for the approval that is stored', async () => {
  const { fetched, fileFetcher } = fetching('Token: none');
  const files = new MemoryFiles();
  expect(await claim(undefined, 'shared', FILE, { files, fileFetcher })).toMatchObject({
    code: 'APPROVAL_REQUIRED',
  });
  expect(await claim(approval({ status: 'rejected' }), 'stored', FILE, { files, fileFetcher })).toMatchObject(
    {
      code: 'FORBIDDEN',
    },
  );
  expect(fetched).toEqual([]);
  await claim(undefined, 'stored', FILE, { files, fileFetcher });
  expect(fetched).toEqual([FILE.file.url]);
  const { approvalId, files: approved } = requested.at(-1) ?? approval();
  expect(approved).toMatchObject([
    { field: 'file', name: 'a.txt', text: 'Token: none', heldFileId: 'file_1' },
  ]);
  expect([...files.held.values()]).toMatchObject([{ keeper: { approvalId, endUserId: 'customer-1' } }]);
});

it.each(['full', approval()] as const)(
  'keeps nothing if it is not the one that is stored (%#)',
  async (open) => {
    const { fetched, fileFetcher } = fetching('x');
    const files = new MemoryFiles();
    await claim(undefined, open, FILE, { files, fileFetcher });
    expect([fetched.length, files.held.size]).toEqual([1, 0]);
  },
);

it('takes a megabyte of a file that comes with the call, whose other inputs have their own bound', async () => {
  const file = { base64: Buffer.alloc(1024 * 1024, 255).toString('base64'), name: 'a.bin' };
  const required = { code: 'APPROVAL_REQUIRED' };
  expect(await claim(undefined, 'stored', { file }, { files: new MemoryFiles() })).toMatchObject(required);
  expect(requested.at(-1)?.files).toMatchObject([
    { name: 'a.bin', sizeBytes: 1024 * 1024, text: null, heldFileId: null },
  ]);
});
