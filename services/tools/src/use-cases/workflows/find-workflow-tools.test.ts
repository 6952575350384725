import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { workflow } from '../../testing/memory-workflows.ts';
import { findWorkflowTools } from './find-workflow-tools.ts';

test('a workflow is a tool of the application workflow, by its slug', async () => {
  const { inputSchema, ...stored } = workflow({ aliases: ['former'] });
  const found = { ...stored, inputSchema: LazyJson.of(inputSchema) };
  const workflows = { findSome: () => Promise.resolve([found]) };
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
