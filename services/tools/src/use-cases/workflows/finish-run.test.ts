import { ApiError } from '@fairlead/errors/api-error';
import { expect, test } from 'vitest';
import { NEW_PROGRESS } from '../../domain/workflow-run.ts';
import { CONNECTION_SECRET, workflow, workflowDeps } from '../../testing/memory-workflows.ts';
import { finishRun } from './finish-run.ts';

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
