import { expect, test } from 'vitest';
import { NEW_PROGRESS } from '../domain/workflow-run.ts';
import { workflow, workflowDeps, workflowStep } from '../testing/memory-workflows.ts';
import { runSteps } from './run-steps.ts';

const TWO = workflow({
  steps: [workflowStep('one'), workflowStep('two', { fields: { name: '=input.who' } })],
});

test('each call is written down before it begins, and its result after it', async () => {
  const { deps, run, runs, vendorCalls } = workflowDeps(TWO);
  const { stopped, progress } = await runSteps(deps, run, NEW_PROGRESS);
  expect(stopped).toBeUndefined();
  expect(vendorCalls).toEqual([{ name: 'one' }, { name: 'Ada' }]);
  expect(runs.changes.map((change) => change?.kind)).toEqual(['call', 'stepEnd', 'call', 'stepEnd']);
  expect(progress).toMatchObject({ step: 2, connectionIds: [7], attempts: 2, call: null });
});

test('a run goes on where its progress is', async () => {
  const { deps, run, vendorCalls } = workflowDeps(TWO);
  const results = { one: { isSuccess: true, output: {}, errorMessage: null } };
  await runSteps(deps, run, { ...NEW_PROGRESS, step: 1, results });
  expect(vendorCalls).toEqual([{ name: 'Ada' }]);
});

test('a lost lease, and a process that stops, end it before the next call', async () => {
  const lost = workflowDeps(TWO);
  lost.runs.isLost = true;
  await expect(runSteps(lost.deps, lost.run, NEW_PROGRESS)).rejects.toMatchObject({ reason: 'lost' });
  const stopping = workflowDeps(TWO);
  await stopping.drain.close();
  await expect(runSteps(stopping.deps, stopping.run, NEW_PROGRESS)).rejects.toMatchObject({
    reason: 'stopping',
  });
  expect([...lost.vendorCalls, ...stopping.vendorCalls]).toEqual([]);
});
