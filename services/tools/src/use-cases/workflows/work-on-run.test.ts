import { expect, test } from 'vitest';
import { NEW_PROGRESS } from '../../domain/workflow-run.ts';
import type { RunProgress } from '../../domain/workflow-run.ts';
import { workflowDeps } from '../../testing/memory-workflows.ts';
import { workOnRun } from './work-on-run.ts';

function resume(progress: Partial<RunProgress>, o: { readonly hasSecretInput?: boolean } = {}) {
  const world = workflowDeps();
  const run = {
    lease: world.lease,
    head: { ...world.head, ...o },
    progress: { ...NEW_PROGRESS, ...progress },
  };
  return { ...world, result: workOnRun(world.deps, run, { inputSecrets: [], isResumed: true }) };
}

test('an interrupted call is made again if its tool allows that', async () => {
  const { result, vendorCalls } = resume({ call: { isRepeatable: true } });
  expect(await result).toMatchObject({ outcome: { isSuccess: true } });
  expect(vendorCalls).toHaveLength(1);
});

test.each<[string, Parameters<typeof resume>, string]>([
  ['a call in doubt', [{ call: { isRepeatable: false } }], 'not idempotent'],
  ['secret inputs', [{}, { hasSecretInput: true }], 'hold secrets'],
])('%s ends the run, and its row says so', async (_name, o, text) => {
  const { result, vendorCalls, runs } = resume(...o);
  expect(await result).toMatchObject({ outcome: { errorMessage: expect.stringContaining(text) as string } });
  expect(vendorCalls).toEqual([]);
  expect(runs.ended).toEqual(['finished']);
});

test('a process that stops gives the run up', async () => {
  const { deps, drain, runs, lease, head } = workflowDeps();
  await drain.close();
  const run = { lease, head, progress: NEW_PROGRESS };
  await expect(workOnRun(deps, run, { inputSecrets: [], isResumed: false })).rejects.toMatchObject({
    reason: 'stopping',
  });
  expect(runs.ended).toEqual(['released']);
});
