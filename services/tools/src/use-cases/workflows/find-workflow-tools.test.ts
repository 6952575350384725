import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { workflow } from '../../testing/memory-workflows.ts';
import { findWorkflowTools } from './find-workflow-tools.ts';

test('a workflow is a tool of the application workflow, by its slug', async () => {
  const { inputSchema, ...stored } = workflow({ aliases: ['former'] });
  const found = { ...stored, inputSchema: LazyJson.of(inputSchema) };
  const workflows = {
    findSome: (_ctx: unknown, accountId: string) => Promise.resolve(accountId === 'mine' ? [found] : []),
  };
  // Called by another service for an account, without a user.
  const caller = { kind: 'serviceForAccount', service: 'mcp', accountId: 'mine' } as const;
  expect(await findWorkflowTools({ workflows }, testContext({ caller }), ['wf_1'])).toMatchObject([
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
