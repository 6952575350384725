import { expect, test } from 'vitest';
import { workflow, workflowDeps, workflowStep } from '../../testing/memory-workflows.ts';
import { previewWorkflow } from './preview-workflow.ts';

test.each<[string, Parameters<typeof workflowStep>[1], object]>([
  ['its fields', { fields: { name: '=input.who' } }, { output: { stepId: 'b', fields: { name: 'Ada' } } }],
  [
    'its first item',
    { forEach: '=["x", "y"]', fields: { name: '=item' } },
    { output: { stepId: 'b', fields: { name: 'x' } } },
  ],
  ['no call, if there are no items', { forEach: '=[]' }, { output: {} }],
  [
    'what fails',
    { when: '=1 + "a"' },
    { errorMessage: expect.stringContaining('Step "b" failed: when') as string },
  ],
])('the first step that makes a call is shown: %s', async (_name, o, outcome) => {
  const steps = [workflowStep('a', { when: '=false' }), workflowStep('b', o)];
  const { deps, ctx, head, vendorCalls, history } = workflowDeps(workflow({ steps }));
  const result = await previewWorkflow(deps, ctx, head, []);
  expect(result).toMatchObject({ outcome, historyId: undefined });
  expect(vendorCalls).toEqual([]);
  expect(history.rows.size).toBe(0);
});
