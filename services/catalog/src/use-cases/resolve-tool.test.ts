import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { catalogueOf, testConnector, testTool } from '../testing/connectors.ts';
import { resolveTool } from './resolve-tool.ts';

const deps = {
  catalogue: catalogueOf(
    testConnector('zoo', {
      name: 'A first',
      tools: [testTool('echo'), { ...testTool('feed'), aliases: ['nourish'] }],
    }),
    testConnector('crm', { name: 'Z last', tools: [testTool('echo')] }),
  ),
};

async function applicationsOf(toolSlug: string, applicationSlug: string): Promise<readonly string[]> {
  const tools = await resolveTool(deps, testContext(), toolSlug, applicationSlug);
  return tools.map(({ application }) => application.connector.slug);
}

it('returns every tool with a slug by application slug, or that of the named application', async () => {
  expect(await applicationsOf('echo', '')).toEqual(['crm', 'zoo']);
  expect(await applicationsOf('echo', 'zoo')).toEqual(['zoo']);
});

it('is NOT_FOUND if there is no such tool, or not in that application', async () => {
  await expect(applicationsOf('nope', '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(applicationsOf('feed', 'crm')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('finds a tool by an alias too', async () => {
  const [found, ...others] = await resolveTool(deps, testContext(), 'nourish', '');
  expect([found?.tool.toolSlug, others]).toEqual(['feed', []]);
});
