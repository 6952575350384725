import { ApiError } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { CallerRefusedError } from '../../domain/caller-refused-error.ts';
import type { Approval } from '../../domain/approval.ts';
import { CallChanged } from '../../domain/call-changed.ts';
import type { Toolset } from '../../domain/toolset.ts';
import type { Workflow } from '../../domain/workflow.ts';
import { CONNECTION_SECRET, workflow, workflowDeps, workflowStep } from '../../testing/memory-workflows.ts';
import { approval } from '../../testing/approvals.ts';
import { storedFile } from '../../testing/files.ts';
import { toolRequest } from '../../testing/tool-calls.ts';
import { runWorkflow } from './run-workflow.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';

type OpenArguments = Parameters<RunPorts['approvals']['open']>;

const held = workflow();

function startRun(...[deps, ctx, holding, request]: Parameters<typeof runWorkflow>) {
  const toolsets = { find: () => Promise.resolve(holding.toolset) };
  const workflows = { ...deps.workflows, findBySlug: () => Promise.resolve(holding.workflow) };
  return runWorkflow({ ...deps, toolsets, workflows }, ctx, holding, request);
}

test('a workflow without a toolset runs as it is stored: one that was changed meanwhile does not', async () => {
  const { deps, ctx, history } = workflowDeps();
  const holding = { workflow: held, toolset: undefined };
  const changed = { ...deps.workflows, findBySlug: () => Promise.resolve({ ...held, revision: 4 }) };
  const run = runWorkflow({ ...deps, workflows: changed }, ctx, holding, toolRequest());
  await expect(run).rejects.toBeInstanceOf(CallChanged);
  expect(history.rows.size).toBe(0);
  const result = await runWorkflow(deps, ctx, holding, toolRequest());
  expect(result.outcome).toMatchObject({ isSuccess: true });
  expect(history.rows.get(2)).toMatchObject({ info: { connectionResolution: 'default' } });
});

test('a run has a row from its beginning, and is removed at its end', async () => {
  const { deps, ctx, toolset, runs, history } = workflowDeps();
  const result = await startRun(deps, ctx, { workflow: held, toolset }, toolRequest());
  expect(result).toMatchObject({ outcome: { isSuccess: true }, historyId: 1 });
  expect(history.rows.get(1)).toMatchObject({
    info: { toolSlug: 'flow', connectionId: null },
    isSettled: true,
  });
  expect(runs.ended).toEqual(['finished']);
});

test('while it runs, its row shows no input that may be a secret of a connection', async () => {
  const { deps, ctx, toolset, history } = workflowDeps();
  const shown: unknown[] = [];
  const runtime = {
    ...deps.runtime,
    execute(...call: Parameters<typeof deps.runtime.execute>) {
      shown.push(history.rows.get(1)?.fields);
      return deps.runtime.execute(...call);
    },
  };
  const fields = { who: { name: CONNECTION_SECRET, other: 'Ada', pins: [4711] } };
  await startRun({ ...deps, runtime }, ctx, { workflow: held, toolset }, toolRequest({ fields }));
  shown.push(history.rows.get(1)?.fields);
  expect(shown).toEqual([
    { who: { name: '***', other: '***', pins: ['***'] } },
    { who: { name: '***', other: 'Ada', pins: [4711] } },
  ]);
});

test('fields in the dialect of a model are read as the schema of the workflow describes them', async () => {
  const inputSchema = { type: 'object', properties: { who: { type: 'string' }, pet: { type: 'string' } } };
  const { deps, ctx, toolset, history } = workflowDeps();
  const holding = { workflow: workflow({ inputSchema }), toolset };
  const request = toolRequest({ fields: { who: 'Ada', pet: null }, schemaProfile: 'openai-strict' });
  await startRun(deps, ctx, holding, request);
  expect(history.rows.get(1)).toMatchObject({ outcome: { isSuccess: true }, fields: { who: 'Ada' } });
  const other = startRun(deps, ctx, holding, toolRequest({ schemaProfile: 'other' }));
  await expect(other).rejects.toMatchObject({ details: [{ field: 'schemaProfile' }] });
});

test('the inputs that the toolset fixes override the caller’s', async () => {
  const { deps, ctx, toolset, history } = workflowDeps();
  const policy = {
    readOnly: false,
    fixedFields: { flow: { who: 'Fixed' } },
    callsPerHour: null,
    requireApproval: [],
  };
  const request = toolRequest({ fields: { who: 'Caller' } });
  await startRun(deps, ctx, { workflow: held, toolset: { ...toolset, policy } }, request);
  expect(history.rows.get(1)).toMatchObject({ fields: { who: 'Fixed' } });
});

test.each<[string, Parameters<typeof toolRequest>[0], string]>([
  ['a connection', { connectionId: 7 }, 'connectionId'],
  ['paging', { top: 1 }, 'top'],
  ['more than 1 MiB', { fields: { a: 'x'.repeat(1024 * 1024) } }, 'fields'],
])('%s is refused, without a row', async (_name, o, field) => {
  const { deps, ctx, toolset, history } = workflowDeps();
  const run = startRun(deps, ctx, { workflow: held, toolset }, toolRequest(o));
  await expect(run).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  expect(history.rows.size).toBe(0);
});

test('a process that stops begins no run', async () => {
  const { deps, ctx, toolset, drain } = workflowDeps();
  await drain.close();
  const run = startRun(deps, ctx, { workflow: held, toolset }, toolRequest());
  await expect(run).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a run whose row cannot be written is refused with that error: nothing was executed', async () => {
  const { deps, ctx, toolset, runs } = workflowDeps();
  const away = new ApiError('UNAVAILABLE', 'The database is not available.');
  const history = Object.assign(deps.history, { insert: () => Promise.reject(away) });
  const run = startRun({ ...deps, history }, ctx, { workflow: held, toolset }, toolRequest());
  await expect(run).rejects.toBe(away);
  expect(runs.ended).toEqual([]);
});

test.each(['insert', 'save', 'finish'] as const)(
  'once a run has a row, a database that fails in %s is TIMEOUT, which no client repeats',
  async (operation) => {
    const { deps, ctx, toolset } = workflowDeps();
    const away = new ApiError('UNAVAILABLE', 'The database is not available.');
    const runs = Object.assign(deps.runs, { [operation]: () => Promise.reject(away) });
    const run = startRun({ ...deps, runs }, ctx, { workflow: held, toolset }, toolRequest());
    await expect(run).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'It is unknown whether the run goes on; see execution 1.',
      cause: away,
    });
  },
);

test('a run whose caller may not act any more when it gets its permit is refused, without a row', async () => {
  const { deps, ctx, toolset, history } = workflowDeps();
  const callers = { requireCurrent: () => Promise.reject(new CallerRefusedError('inactiveUser')) };
  const runPermits: typeof deps.runPermits = { ...deps.runPermits, run: (_call, work) => work(true) };
  const run = startRun({ ...deps, callers, runPermits }, ctx, { workflow: held, toolset }, toolRequest());
  await expect(run).rejects.toMatchObject({ code: 'ACCOUNT_USER_INACTIVE' });
  expect(history.rows.size).toBe(0);
});

test('a workflow whose calls have to be approved does not run without that', async () => {
  const { deps, ctx, toolset, history, vendorCalls } = workflowDeps();
  const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: ['flow'] };
  const holding = { workflow: held, toolset: { ...toolset, policy } };
  const opened: unknown[] = [];
  const fields = { who: 'Ada' };
  const approvals = {
    ...deps.approvals,
    open: async (...[, , , request]: OpenArguments) => {
      const requested = await request();
      opened.push(requested);
      return requested;
    },
  };
  const run = startRun({ ...deps, approvals }, ctx, holding, toolRequest({ fields }));
  await expect(run).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
  expect(opened).toMatchObject([{ toolSlug: 'flow', connectionId: null, fields: LazyJson.of(fields) }]);
  const hiding = toolRequest({ fields: { ...fields, pin: CONNECTION_SECRET } });
  await expect(startRun({ ...deps, approvals }, ctx, holding, hiding)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(opened).toHaveLength(1);
  expect(history.rows.size).toBe(0);
  expect(vendorCalls).toEqual([]);
});

test('a call that has to be approved is refused if nobody can tell what is secret in it', async () => {
  const { deps, ctx, toolset } = workflowDeps();
  const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: ['flow'] };
  const connections = { ...deps.connections, getCredentials: () => Promise.reject(new Error('away')) };
  const holding = { workflow: held, toolset: { ...toolset, policy } };
  const approvals = { ...deps.approvals, open: (...[, , , request]: OpenArguments) => request() };
  const run = startRun({ ...deps, connections, approvals }, ctx, holding, toolRequest());
  await expect(run).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('what a policy says of a workflow by a former slug holds', async () => {
  const { deps, ctx, toolset, history } = workflowDeps();
  const policy = {
    readOnly: false,
    fixedFields: { former: { who: 'Fixed' } },
    callsPerHour: null,
    requireApproval: ['earlier'],
  };
  const open = (...[, , , request]: OpenArguments) => request();
  const approving = { ...deps, approvals: { ...deps.approvals, open } };
  const run = (...aliases: string[]) => {
    const holding = { workflow: workflow({ aliases }), toolset: { ...toolset, policy } };
    return startRun(approving, ctx, holding, toolRequest({ fields: { who: 'Caller' } }));
  };
  await run('former');
  expect(history.rows.get(1)).toMatchObject({ fields: { who: 'Fixed' } });
  await expect(run('former', 'earlier')).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
});

test('an approval is of a workflow as it was: not of a later revision, nor of another one with its slug', async () => {
  const { deps, ctx, toolset } = workflowDeps();
  const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: ['flow'] };
  const bound = new Set<string>();
  const approvals = {
    ...deps.approvals,
    open: async (...[, , , request]: OpenArguments) => {
      const requested = await request();
      bound.add(requested.fingerprint);
      return requested;
    },
  };
  for (const called of [
    held,
    workflow({ revision: held.revision + 1 }),
    workflow({ workflowToken: 'wf_2' }),
  ]) {
    const holding = { workflow: called, toolset: { ...toolset, policy } };
    const run = startRun({ ...deps, approvals }, ctx, holding, toolRequest());
    await expect(run).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
  }
  expect(bound.size).toBe(3);
});

test('an approval is of a workflow for one end user, with the connections that its toolset has', async () => {
  const { deps, ctx, toolset } = workflowDeps();
  const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: ['flow'] };
  const requestedOf = async (endUserId: string | undefined, connectionIds: readonly number[]) => {
    const opened: Approval[] = [];
    const open = async (...[, , , request]: OpenArguments) => {
      const requested = await request();
      opened.push(requested);
      return requested;
    };
    const holding = { workflow: held, toolset: { ...toolset, policy, connectionIds } };
    const approvals = { ...deps.approvals, open };
    const run = startRun({ ...deps, approvals }, ctx, holding, toolRequest({ endUserId }));
    await expect(run).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
    expect(opened).toMatchObject([{ endUserId: endUserId ?? null }]);
    return opened.map(({ fingerprint }) => fingerprint).join();
  };
  const approved = await requestedOf('customer-1', [7, 8]);
  expect(await requestedOf('customer-1', [8, 7])).toBe(approved);
  for (const other of ['customer-2', undefined]) expect(await requestedOf(other, [7, 8])).not.toBe(approved);
  for (const others of [[7], [7, 9], [7, 8, 9]])
    expect(await requestedOf('customer-1', others)).not.toBe(approved);
});

test('an approved run has the file that its approval kept in place of the address, and another one has the address', async () => {
  const fields = { file: { url: 'https://files.test/a.txt' } };
  const inputSchema = { type: 'object', properties: { file: { format: 'file' } } };
  const holding = {
    workflow: workflow({
      inputSchema,
      steps: [workflowStep('one', { fields: { name: '=$string(input.file)' } })],
    }),
  };
  const described = { name: 'a.txt', contentType: 'text/plain', sizeBytes: 1, sha256: 'abc', text: null };
  const kept = { ...described, field: 'file', heldFileId: 'file_1' };
  const found = approval({ status: 'approved', files: [kept] });
  const runWith = async (requireApproval: string[]) => {
    const { deps, ctx, toolset, history } = workflowDeps(holding.workflow);
    const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval };
    const using = {
      ...deps,
      approvals: {
        ...deps.approvals,
        find: () => Promise.resolve(found),
        claim: () => Promise.resolve(true),
      },
      fingerprints: { of: () => ['equal'] as const },
      files: { ...deps.files, publish: () => Promise.resolve(storedFile({ sha256: 'abc' })) },
    };
    const request = toolRequest({ fields, approvalId: found.approvalId });
    await startRun(using, ctx, { ...holding, toolset: { ...toolset, policy } }, request);
    return history.rows.get(1)?.fields;
  };
  expect(await runWith(['flow'])).toEqual({ file: { fileId: 'file_1' } });
  expect(await runWith([])).toEqual(fields);
});

test('a run whose toolset changes while it waits to read its file does not begin', async () => {
  const inputSchema = { type: 'object', properties: { file: { format: 'file' } } };
  const { deps, ctx, toolset, history } = workflowDeps(workflow({ inputSchema }));
  const stored = { toolset };
  const filePermits: typeof deps.filePermits = {
    run(_call, work) {
      stored.toolset = { ...toolset, workflowTokens: [] };
      return work(true);
    },
  };
  const waiting = { ...deps, filePermits, toolsets: { find: () => Promise.resolve(stored.toolset) } };
  const request = toolRequest({ fields: { file: { url: 'https://files.test/a.txt' } } });
  const run = runWorkflow(waiting, ctx, { workflow: workflow({ inputSchema }), toolset }, request);
  await expect(run).rejects.toBeInstanceOf(CallChanged);
  expect(history.rows.size).toBe(0);
});

test('a run whose row cannot be written keeps its approval; one that has begun has used it', async () => {
  const policy = { readOnly: false, fixedFields: {}, callsPerHour: 1, requireApproval: ['flow'] };
  const decided = approval({ status: 'approved' });
  const done: string[] = [];
  const runWith = async (broken: 'row' | 'run' | undefined) => {
    const { deps, ctx, toolset } = workflowDeps();
    const approvals = {
      ...deps.approvals,
      find: () => Promise.resolve(decided),
      claim: (_ctx: unknown, _accountId: string, approvalId: string) =>
        Promise.resolve(done.push(`claim ${approvalId}`) > 0),
      release: (_accountId: string, approvalId: string) =>
        Promise.resolve(void done.push(`release ${approvalId}`)),
    };
    const away = () => Promise.reject(new Error('no database'));
    const history = broken === 'row' ? Object.assign(deps.history, { insert: away }) : deps.history;
    const runs = broken === 'run' ? Object.assign(deps.runs, { insert: away }) : deps.runs;
    const fingerprints = { of: () => ['equal'] as const };
    const holding = { workflow: held, toolset: { ...toolset, policy } };
    const request = toolRequest({ approvalId: decided.approvalId });
    await startRun({ ...deps, approvals, history, runs, fingerprints }, ctx, holding, request).catch(
      () => undefined,
    );
    return done.splice(0);
  };
  const [claim, release] = [`claim ${decided.approvalId}`, `release ${decided.approvalId}`];
  expect(await runWith(undefined)).toEqual([claim]);
  expect(await runWith('row')).toEqual([claim, release]);
  // Another replica may find the run and continue it.
  expect(await runWith('run')).toEqual([claim]);
});

test.each<[string, Partial<Toolset> | undefined, Partial<Workflow> | undefined, string]>([
  ['whose toolset is gone', undefined, {}, 'NOT_FOUND'],
  ['whose toolset no longer holds it', { workflowTokens: [] }, {}, 'UNAVAILABLE'],
  ['whose policy was changed', { policy: null }, {}, 'UNAVAILABLE'],
  ['that is gone', {}, undefined, 'UNAVAILABLE'],
  ['that was changed', {}, { revision: 4 }, 'UNAVAILABLE'],
  ['that was made anew', {}, { workflowToken: 'wf_2' }, 'UNAVAILABLE'],
])('a workflow %s while its run waits does not run', async (_what, ofToolset, ofWorkflow, code) => {
  const { deps, ctx, toolset, history } = workflowDeps();
  const policy = { readOnly: true, fixedFields: {}, callsPerHour: null, requireApproval: [] };
  const holding = { workflow: held, toolset: { ...toolset, policy } };
  const stored = {
    toolsets: { find: () => Promise.resolve(ofToolset && { ...holding.toolset, ...ofToolset }) },
    workflows: {
      ...deps.workflows,
      findBySlug: () => Promise.resolve(ofWorkflow && { ...held, ...ofWorkflow }),
    },
  };
  await expect(runWorkflow({ ...deps, ...stored }, ctx, holding, toolRequest())).rejects.toMatchObject({
    code,
  });
  expect(history.rows.size).toBe(0);
});
