import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { workflow } from '../../testing/memory-workflows.ts';
import { getWorkflow } from './get-workflow.ts';

test('a workflow that does not exist is NOT_FOUND', async () => {
  const found = workflow();
  const get = (workflows: { find(): Promise<typeof found | undefined> }) =>
    getWorkflow({ workflows }, testContext(), 'wf_1');
  expect(await get({ find: () => Promise.resolve(found) })).toBe(found);
  await expect(get({ find: () => Promise.resolve(undefined) })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
