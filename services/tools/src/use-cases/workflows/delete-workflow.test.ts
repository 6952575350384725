import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { WorkflowStore } from '../../ports/workflow-store.ts';
import { deleteWorkflow } from './delete-workflow.ts';

function deletion(result: Awaited<ReturnType<WorkflowStore['delete']>>) {
  const deps = { workflows: { delete: () => Promise.resolve(result) }, clock: systemClock };
  return deleteWorkflow(deps, testContext(), { workflowToken: 'wf_1', isForced: false });
}

test('a workflow in use is a CONFLICT that names the toolsets', async () => {
  await expect(deletion({ kind: 'deleted' })).resolves.toBeUndefined();
  await expect(deletion({ kind: 'missing' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(deletion({ kind: 'inUse', toolsetIds: ['a', 'b'] })).rejects.toMatchObject({
    code: 'CONFLICT',
    candidates: ['toolset:a', 'toolset:b'],
  });
});
