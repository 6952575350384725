import { ApiError } from '@fairlead/errors/api-error';
import { createEvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { systemClock } from '@fairlead/service-kit/clock';
import { expect, onTestFinished, test } from 'vitest';
import { NEW_PROGRESS } from '../../domain/workflow-run.ts';
import { createOutputMasker } from '../../masking/output-masker.ts';
import { allOf, noFiles, storedFile } from '../../testing/files.ts';
import { CONNECTION_SECRET, workflow, workflowDeps } from '../../testing/memory-workflows.ts';
import { finishRun } from './finish-run.ts';

/** Generous, for busy machines; nothing here waits for it. */
const LONG_MS = 60_000;

const results = { one: { isSuccess: true, output: { a: CONNECTION_SECRET }, errorMessage: null } };
const progress = { ...NEW_PROGRESS, results };

test('the output of a run is masked, in its row and in its answer, and the run is removed', async () => {
  const { deps, run, runs, history } = workflowDeps();
  run.secrets.missing.add(7);
  const { outcome } = await finishRun(deps, run, { progress, stopped: undefined });
  expect(outcome).toEqual({ isSuccess: true, output: { one: { a: '***' } } });
  expect(history.rows.get(1)).toMatchObject({ outcome, isSettled: true, fields: { who: 'Ada' } });
  expect(runs.ended).toEqual(['finished']);
});

test('an output that is no object is wrapped, one that fails or is too large is a failed run', async () => {
  const outcomeOf = async (output: string) => {
    const { deps, run } = workflowDeps(workflow({ output }));
    return (await finishRun(deps, run, { progress, stopped: undefined })).outcome;
  };
  expect(await outcomeOf('=input.who')).toEqual({ isSuccess: true, output: { value: 'Ada' } });
  expect(await outcomeOf('=1 + "a"')).toMatchObject({
    errorMessage: expect.stringMatching(/^output: /) as string,
  });
  expect(await outcomeOf('=$pad("x", 2000000)')).toMatchObject({ isSuccess: false });
});

test('what cannot be searched for secrets is not shown', async () => {
  const { deps, run } = workflowDeps();
  run.secrets.missing.add(7);
  const getCredentials = () => Promise.reject(new ApiError('UNAVAILABLE', 'Away.'));
  const failing = { ...deps, connections: { getCredentials } };
  const { outcome } = await finishRun(failing, run, { progress, stopped: `No ${CONNECTION_SECRET}.` });
  expect(outcome).toMatchObject({ isSuccess: false });
  expect(JSON.stringify(outcome)).not.toContain(CONNECTION_SECRET);
});

test('a run whose row cannot be completed is kept', async () => {
  const { deps, run, runs } = workflowDeps();
  const history = { settle: () => Promise.reject(new Error('no database')) };
  const finished = finishRun({ ...deps, history }, run, { progress, stopped: undefined });
  await expect(finished).rejects.toThrow('no database');
  expect(runs.ended).toEqual([]);
});

test('for an MCP client, an output above 1 MiB is a file, masked, and its beginning; for others the run fails', async () => {
  const { deps, run, history } = workflowDeps();
  run.secrets.missing.add(7);
  const workers = createEvaluationWorkers({
    log: run.ctx.log,
    clock: systemClock,
    poolLimits: { startMs: LONG_MS, unresponsiveMs: LONG_MS },
  });
  onTestFinished(() => workers.close());
  const written: Buffer[] = [];
  const files = {
    ...noFiles.files,
    open: () => Promise.resolve('file_1'),
    write: async (_ctx: unknown, _accountId: string, _fileId: string, content: AsyncIterable<Uint8Array>) => {
      written.push(Buffer.concat(await allOf(content)));
      return { sizeBytes: 1, sha256: 'abc' };
    },
    commit: () => Promise.resolve(storedFile()),
  };
  const large = { ...deps, files, outputMasker: createOutputMasker(workers) };
  const text = `${CONNECTION_SECRET} ${'x'.repeat(700_000)}`;
  const step = { isSuccess: true, output: { text }, errorMessage: null };
  const end = { progress: { ...NEW_PROGRESS, results: { one: step, two: step } }, stopped: undefined };
  const origin = { source: 'mcp', mcpServerName: 'Support' } as const;
  const result = await finishRun(large, { ...run, head: { ...run.head, origin } }, end);
  const masked = { text: text.replace(CONNECTION_SECRET, '***') };
  expect(JSON.parse(String(written[0]))).toEqual({ one: masked, two: masked });
  expect(result).toMatchObject({
    isMcpResult: true,
    outcome: {
      isSuccess: true,
      output: {
        content: [{ type: 'text' }, { type: 'text' }, { type: 'resource_link' }],
        structuredContent: { one: { text: expect.stringMatching(/^\*\*\* x{1000}/) as string } },
      },
    },
  });
  const kept = JSON.stringify(history.rows.get(1)?.outcome);
  expect(kept).toContain('[cut: ');
  expect(kept).not.toContain(CONNECTION_SECRET);
  expect((await finishRun(large, run, end)).outcome).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining('larger than 1 MiB') as string,
  });
});
