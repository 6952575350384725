import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { workflow } from '../../testing/memory-workflows.ts';
import { findWorkflowTools } from './find-workflow-tools.ts';

test('a workflow is a tool of the application workflow, by its slug', async () => {
  const workflows = { findSome: () => Promise.resolve([workflow({ aliases: ['former'] })]) };
  expect(await findWorkflowTools({ workflows }, testContext(), ['wf_1'])).toMatchObject([
    {
      workflowToken: 'wf_1',
      tool: {
        toolSlug: 'flow',
        aliases: ['former'],
        toolName: 'Flow',
        applicationSlug: 'workflow',
        version: '3',
      },
    },
  ]);
});
