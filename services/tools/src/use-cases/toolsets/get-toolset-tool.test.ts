import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { newToolSummary, toolset } from '../../testing/toolsets.ts';
import { getToolsetTool } from './get-toolset-tool.ts';

it('is a workflow of the toolset by its slug, else the tool of the catalogue', async () => {
  const workflow = newToolSummary('onboard', { applicationSlug: 'workflow' });
  const deps: Parameters<typeof getToolsetTool>[0] = {
    toolsets: { find: () => Promise.resolve(toolset({ workflowTokens: ['wf'], tools: [] })) },
    workflows: { findTools: () => Promise.resolve([{ workflowToken: 'wf', tool: workflow }]) },
    toolLists: {
      getTool: (_ctx, slug, applicationSlug) => Promise.resolve(newToolSummary(slug, { applicationSlug })),
    },
  };
  const get = (toolSlug: string, applicationSlug = '') =>
    getToolsetTool(deps, testContext(), { toolsetId: toolset().id, toolSlug, applicationSlug });
  expect(await get('onboard')).toEqual(workflow);
  expect(await get('onboard', 'workflow')).toEqual(workflow);
  expect(await get('onboard', 'crm')).toEqual(newToolSummary('onboard'));
  expect(await get('list', 'crm')).toEqual(newToolSummary('list'));
});
