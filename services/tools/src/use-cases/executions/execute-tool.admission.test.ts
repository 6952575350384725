import type { ToolDefinition } from '@fairlead/connector-model/model';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { sha256Of } from '../../domain/file.ts';
import type { ToolsetPolicy } from '../../domain/policy.ts';
import type { Toolset } from '../../domain/toolset.ts';
import type { FetchedFile } from '../../ports/files.ts';
import type { History } from '../../ports/history.ts';
import { approval } from '../../testing/approvals.ts';
import { noFiles } from '../../testing/files.ts';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import {
  catalogOf,
  connection,
  connectionsOf,
  maskingInPlace,
  MemoryHistory,
  platformSchemas,
  toolRequest,
} from '../../testing/tool-calls.ts';
import { toolset, withoutToolsets } from '../../testing/toolsets.ts';
import { executeTool } from './execute-tool.ts';
import type { ExecutionPorts } from '../../ports/execution-ports.ts';
import type { ExecuteToolRequest } from './execute-tool.ts';

const { approvalId } = approval();
const DONE: ToolOutcome = { isSuccess: true, output: {}, attempts: 1 };
const FILE: FetchedFile = {
  kind: 'fetched',
  content: Buffer.from('a'),
  name: 'a',
  contentType: 'text/plain',
};
const KEPT = {
  field: 'file',
  name: 'a',
  contentType: 'text/plain',
  sizeBytes: 1,
  sha256: sha256Of(Buffer.from('a')),
  text: 'a',
  heldFileId: 'file_1',
};
const UPLOAD: Partial<ToolDefinition> = {
  toolSlug: 'crm-upload',
  inputSchema: { type: 'object', properties: { file: { format: 'file' } } },
};

/** A tool in a toolset that requires an approval, which is given, and permits one call per hour. */
function world(o: {
  tool?: Partial<ToolDefinition>;
  policy?: Partial<ToolsetPolicy>;
  status?: 'approved' | 'pending';
  /** The vendor's answers, one per call. */
  answers?: (ToolOutcome | Error)[];
  /** Files at the addresses, one per call. */
  files?: FetchedFile[];
  broken?: keyof History;
  /** Content stored for its approval, one per call; null: none. */
  kept?: (string | null)[];
  /** Runs while a stored file is read. */
  onRead?: (stored: { toolset: Toolset | undefined }) => void;
}) {
  const ctx = testContext({ accountId: 'acc_1' });
  const definition = toolDefinition({ ...UPLOAD, ...o.tool });
  const policy = {
    readOnly: false,
    fixedFields: {},
    callsPerHour: 1,
    requireApproval: [definition.toolSlug],
    ...o.policy,
  };
  const state = { status: o.status ?? 'approved', counted: 0 };
  const stored: { toolset: Toolset | undefined } = { toolset: toolset({ policy }) };
  const seen = { fetched: 0, read: 0, called: 0 };
  /** Approvals whose files were removed. */
  const dropped: unknown[] = [];
  /** Number of calls with a file permit: now, the maximum, and at the last vendor call. */
  const permits = { taken: 0, everTaken: 0, atVendor: 0 };
  const move = (from: string, to: 'approved' | 'used'): boolean => {
    const moves = state.status === from;
    if (moves) Object.assign(state, { status: to });
    return moves;
  };
  const deps: ExecutionPorts = {
    ...withoutToolsets,
    ...noFiles,
    catalog: catalogOf(definition, connectorHead()),
    connections: connectionsOf(connection(), {
      kind: 'credential',
      credential: { version: 1, fields: {}, secrets: [] },
    }),
    toolsets: { find: () => Promise.resolve(stored.toolset) },
    approvals: {
      ...withoutToolsets.approvals,
      find: () => Promise.resolve(approval({ status: state.status, files: [KEPT] })),
      open: () => Promise.resolve(approval({ status: state.status })),
      claim: () => Promise.resolve(move('approved', 'used')),
      release: () => Promise.resolve(void move('used', 'approved')),
    },
    fingerprints: { of: () => ['equal'] },
    hourlyCalls: {
      take(_accountId, _toolsetId, max) {
        if (state.counted >= max) return Promise.resolve({ outcome: 'refused', retryAfterSeconds: 60 });
        state.counted += 1;
        const giveBack = () => Promise.resolve(void (state.counted -= 1));
        return Promise.resolve({ outcome: 'admitted', giveBack });
      },
    },
    filePermits: {
      async run(_call, work) {
        permits.taken += 1;
        permits.everTaken += 1;
        try {
          return await work(false);
        } finally {
          permits.taken -= 1;
        }
      },
    },
    files: {
      ...noFiles.files,
      readHeld(_ctx, _accountId, { approvalId: id }) {
        if (permits.taken === 0) throw new Error('The file has no permit.');
        seen.read += 1;
        o.onRead?.(stored);
        const content = o.kept?.shift();
        const label = { name: 'a', contentType: 'text/plain' };
        const isKept = id === approvalId && content !== null;
        return Promise.resolve(isKept ? { label, content: once(content ?? 'a') } : undefined);
      },
      dropHeld: (_accountId, keeper) => Promise.resolve(void dropped.push(keeper)),
    },
    fileFetcher: {
      fetch() {
        if (permits.taken === 0) throw new Error('The file has no permit.');
        seen.fetched += 1;
        return Promise.resolve(o.files?.shift() ?? FILE);
      },
    },
    runtime: {
      execute() {
        seen.called += 1;
        permits.atVendor = permits.taken;
        const answer = o.answers?.shift() ?? DONE;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      preview: () => ({ type: 'http', method: 'GET', url: '', headers: {}, body: null }),
    },
    history: new MemoryHistory(...(o.broken ? [o.broken] : [])),
    schemas: platformSchemas(ctx.log),
    outputMasker: maskingInPlace,
    checkPermits: onePermit(),
    permits: onePermit(),
    clock: systemClock,
    timeoutMs: 30_000,
  };
  const { id: toolsetId } = toolset();
  const { toolSlug } = definition;
  const fields = { file: { url: 'https://files.test/a' } };
  const execute = (request: Partial<ExecuteToolRequest> = {}) =>
    executeTool(deps, ctx, toolRequest({ toolSlug, toolsetId, approvalId, fields, ...request }));
  return { execute, state, seen, dropped, permits, stored, deps };
}

async function* once(content: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(content));
}

test.each([
  ['is not approved', { status: 'pending' as const }, 'APPROVAL_REQUIRED'],
  ['is one too many', { policy: { callsPerHour: 0 } }, 'RATE_LIMIT_EXCEEDED'],
])('a call that %s fetches no file', async (_what, o, code) => {
  const { execute, seen } = world(o);
  await expect(execute()).rejects.toMatchObject({ code });
  expect(seen).toEqual({ fetched: 0, read: 0, called: 0 });
});

test('an approved call sends what its approval keeps, fetches nothing, and nothing is kept afterwards', async () => {
  const { execute, seen, dropped } = world({});
  expect(await execute()).toMatchObject({ outcome: { isSuccess: true } });
  expect(seen).toEqual({ fetched: 0, read: 1, called: 1 });
  expect(dropped).toMatchObject([{ approvalId }]);
});

test('a dry run fetches no file and uses nothing', async () => {
  const { execute, state, seen } = world({});
  expect(await execute({ dryRun: true })).toMatchObject({ outcome: { isSuccess: true } });
  expect(seen).toEqual({ fetched: 0, read: 0, called: 0 });
  expect(state).toEqual({ status: 'approved', counted: 0 });
});

const failure = { isSuccess: false, errorMessage: 'No.', attempts: 1, isUnauthorized: false } as const;
const inputIssues = [{ field: 'filters[0].field', issue: 'must be one of: name' }];

test.each<[string, string, Parameters<typeof world>[0]]>([
  ['its file', 'VALIDATION_ERROR', { kept: [null] }],
  ['a lack of capacity', 'RATE_LIMIT_EXCEEDED', { answers: [{ ...failure, isOverloaded: true }] }],
  ['inputs that only the vendor knows', 'VALIDATION_ERROR', { answers: [{ ...failure, inputIssues }] }],
])('a call that is refused for %s keeps its approval and counts as none', async (_why, code, o) => {
  const { execute, state, dropped } = world(o);
  await expect(execute()).rejects.toMatchObject({ code });
  expect(state).toEqual({ status: 'approved', counted: 0 });
  expect(dropped).toEqual([]);
  expect(await execute()).toMatchObject({ outcome: { isSuccess: true } });
  expect(state).toEqual({ status: 'used', counted: 1 });
  await expect(execute()).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
});

test('a call whose beginning cannot be written keeps its approval and counts as none', async () => {
  const { execute, state, seen } = world({ tool: { retryClass: 'unsafe' }, broken: 'begin' });
  await expect(execute()).rejects.toThrow('no database');
  expect(state).toEqual({ status: 'approved', counted: 0 });
  expect(seen.called).toBe(0);
});

test.each<[string, Parameters<typeof world>[0]]>([
  ['that breaks', { answers: [new Error('broken')] }],
  ['that fails', { answers: [failure] }],
  ['whose row cannot be written', { broken: 'insert' }],
  [
    'with effects that reports inputs',
    { answers: [{ ...failure, inputIssues }], tool: { retryClass: 'unsafe' } },
  ],
])('a call %s has used its approval once its vendor may have been called', async (_what, o) => {
  const { execute, state, seen } = world(o);
  await execute().catch(() => undefined);
  expect(seen.called).toBe(1);
  expect(state).toEqual({ status: 'used', counted: 1 });
});

test('a call has a permit for files while its vendor has them, and only if they are read for it', async () => {
  const { execute, permits } = world({ policy: { callsPerHour: 5, requireApproval: [] } });
  expect(await execute({ fields: {} })).toMatchObject({ outcome: { isSuccess: true } });
  expect(await execute({ dryRun: true })).toMatchObject({ outcome: { isSuccess: true } });
  // Limited like every body.
  const inline = { file: { base64: 'YQ==', name: 'a.txt' } };
  expect(await execute({ fields: inline })).toMatchObject({ outcome: { isSuccess: true } });
  expect(permits).toEqual({ taken: 0, everTaken: 0, atVendor: 0 });
  expect(await execute()).toMatchObject({ outcome: { isSuccess: true } });
  expect(permits).toEqual({ taken: 0, everTaken: 1, atVendor: 1 });
});

test('a permit for files is given back by a call whose file cannot be read, and by one that fails at its vendor', async () => {
  const { execute, permits, seen } = world({
    policy: { callsPerHour: 5, requireApproval: [] },
    files: [{ kind: 'failed', reason: 'no' }],
    answers: [new Error('broken')],
  });
  await expect(execute()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(permits).toEqual({ taken: 0, everTaken: 1, atVendor: 0 });
  expect(await execute()).toMatchObject({ outcome: { isSuccess: false } });
  expect(permits).toEqual({ taken: 0, everTaken: 2, atVendor: 1 });
  expect(seen).toEqual({ fetched: 2, read: 0, called: 1 });
});

test('a call whose toolset changes while its file is read is checked anew; refused then, it keeps its approval and counts as none', async () => {
  const { execute, state, seen } = world({
    onRead: (stored) => void (stored.toolset &&= { ...stored.toolset, tools: [] }),
  });
  await expect(execute()).rejects.toMatchObject({ code: 'TOOL_NOT_IN_TOOLSET' });
  expect(state).toEqual({ status: 'approved', counted: 0 });
  expect(seen).toEqual({ fetched: 0, read: 1, called: 0 });
});

test.each([false, true])(
  'a toolset that changes while its call opens the credential holds for it (dry run: %s)',
  async (dryRun) => {
    const { execute, seen, stored, deps } = world({ policy: { requireApproval: [], callsPerHour: null } });
    const { connections } = deps;
    const getCredentials: typeof connections.getCredentials = (...call) => {
      stored.toolset = undefined;
      return connections.getCredentials(...call);
    };
    Object.assign(deps, { connections: { ...connections, getCredentials } });
    await expect(execute({ dryRun })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(seen).toEqual({ fetched: 0, read: 0, called: 0 });
  },
);
