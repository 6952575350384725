import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { CallerRefusedError } from '../../domain/caller-refused-error.ts';
import { versionedTool } from '../../domain/target.ts';
import { NEW_PROGRESS } from '../../domain/workflow-run.ts';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { workflow, workflowDeps, workflowStep } from '../../testing/memory-workflows.ts';
import { catalogOf } from '../../testing/tool-calls.ts';
import { runSteps } from './run-steps.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';

const TWO = workflow({
  steps: [workflowStep('one'), workflowStep('two', { fields: { name: '=input.who' } })],
});

/** Permits that make every call wait first. */
const waitedPermits: RunPorts['permits'] = { run: (_call, work) => work(true) };

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

test('a step of an approved run calls no tool but those it was approved with', async () => {
  const { deps, run, head, vendorCalls } = workflowDeps(TWO);
  const [tool] = await deps.catalog.resolveTool(run.ctx, 'list', '');
  const approved = tool === undefined ? [] : [versionedTool(tool)];
  const approvedTools = [approved, approved.map((name) => `${name}-before`)];
  const { stopped } = await runSteps(deps, { ...run, head: { ...head, approvedTools } }, NEW_PROGRESS);
  expect(stopped).toContain('Step "two" failed: FORBIDDEN: The run was approved with another tool');
  expect(vendorCalls).toEqual([{ name: 'one' }]);
  const none = { ...head, approvedTools: [] };
  expect((await runSteps(deps, { ...run, head: none }, NEW_PROGRESS)).stopped).toContain('Step "one" failed');
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

test('a call is tried three times, each after a longer pause', async () => {
  const clock = new ManualClock(new Date('2026-11-22T10:00:00.000Z'));
  const { deps, run, head } = workflowDeps(workflow({ steps: [workflowStep('one', { onError: 'retry' })] }));
  const tries: number[] = [];
  const failing: RunPorts = {
    ...deps,
    clock,
    catalog: catalogOf(toolDefinition({ retryClass: 'idempotent' }), connectorHead()),
    runtime: {
      ...deps.runtime,
      execute() {
        tries.push(clock.now().getTime());
        return Promise.resolve({ isSuccess: false, errorMessage: 'No.', isUnauthorized: false, attempts: 1 });
      },
    },
    timers: {
      after(delayMs, ends) {
        clock.advance(delayMs);
        queueMicrotask(ends);
        return { cancel() {} };
      },
    },
  };
  const { stopped } = await runSteps(
    failing,
    { ...run, head: { ...head, startedAt: clock.now() } },
    NEW_PROGRESS,
  );
  expect(stopped).toBe('Step "one" failed: No.');
  expect(tries.map((at) => at - (tries[0] ?? 0))).toEqual([0, 500, 2_500]);
});

test('each call of a step is counted before it is made, each item by itself; an uncounted one is not made', async () => {
  const each = workflow({ steps: [workflowStep('one'), workflowStep('two', { forEach: '=[1, 2, 3]' })] });
  const { deps, run, runs, vendorCalls } = workflowDeps(each);
  const seen: number[] = [];
  const takeCall = (): Promise<void> => {
    seen.push(vendorCalls.length);
    const isSpent = seen.length > 3;
    return isSpent ? Promise.reject(new ApiError('RATE_LIMIT_EXCEEDED', 'Spent.')) : Promise.resolve();
  };
  const { stopped } = await runSteps({ ...deps, budgets: { takeCall } }, run, NEW_PROGRESS);
  expect(stopped).toContain('RATE_LIMIT_EXCEEDED: Spent.');
  expect([seen, vendorCalls.length]).toEqual([[0, 1, 2, 3], 3]);
  // A call that was not counted has not started, either.
  expect(runs.changes.filter((change) => change?.kind === 'call')).toHaveLength(3);
});

test.each(['before a call is noted', 'after the wait for a permit'])(
  'a caller who may not act any more ends the run %s, whatever its steps say of errors',
  async (when) => {
    const each = workflowStep('two', { forEach: '=[1, 2, 3]', onError: 'continue' });
    const last = workflowStep('three', { onError: 'retry' });
    const { deps, run, runs, vendorCalls } = workflowDeps(
      workflow({ steps: [workflowStep('one'), each, last] }),
    );
    const refuse = (): Promise<void> =>
      vendorCalls.length === 2
        ? Promise.reject(new CallerRefusedError('invalidCredential'))
        : Promise.resolve();
    const isCounted = when !== 'before a call is noted';
    const own = isCounted
      ? { permits: waitedPermits, callers: { requireCurrent: refuse } }
      : { budgets: { takeCall: refuse } };
    const { stopped, progress } = await runSteps({ ...deps, ...own }, run, NEW_PROGRESS);
    expect(stopped).toBe(
      'The run was stopped in step "two": UNAUTHORIZED: The credential of the call is no longer valid. No further call was made.',
    );
    expect(vendorCalls).toHaveLength(2);
    expect(progress).toMatchObject({ step: 1, attempts: 2, itemResults: [{ isSuccess: true }] });
    expect(runs.changes.filter((change) => change?.kind === 'call')).toHaveLength(isCounted ? 3 : 2);
  },
);
