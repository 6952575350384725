import { notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { toolDefinition } from '../../testing/fixtures.ts';
import { newToolSummary } from '../../testing/toolsets.ts';
import { findPolicyTools } from './find-policy-tools.ts';

const candidates = ['mcp-7', 'mcp-8'].map((applicationSlug) => ({
  applicationSlug,
  isPlatform: false,
  definition: toolDefinition({ toolSlug: 'send', execution: { type: 'mcp', toolName: 'Send' } }),
}));
const deps = {
  catalog: {
    resolveTool: (_ctx: unknown, slug: string) =>
      slug === 'send' ? Promise.resolve(candidates) : Promise.reject(notFound('tool')),
  },
};
const workflows = [
  { workflowToken: 'wf', tool: newToolSummary('flow', { aliases: ['former'] }) },
  { workflowToken: 'other', tool: newToolSummary('other') },
];

async function findTools(...applicationSlugs: readonly string[][]) {
  const [of] = applicationSlugs;
  const slugs = ['send', 'former', 'gone'];
  const named = await findPolicyTools(deps, testContext(), slugs, workflows, of && new Set(of));
  return [...named].map(([slug, tools]) => [slug, ...tools.map(({ identities }) => identities[0])]);
}

it('finds the tools and workflows that have a slug or have had it, in every application or in some', async () => {
  const flow = ['former', 'slug flow'];
  expect(await findTools()).toEqual([['send', 'mcp mcp-7 Send', 'mcp mcp-8 Send'], flow, ['gone']]);
  expect(await findTools(['mcp-8'])).toEqual([['send', 'mcp mcp-8 Send'], flow, ['gone']]);
  expect(await findTools([])).toEqual([['send'], flow, ['gone']]);
});
