import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { catalogueOf, testConnector, testTool } from '../testing/connectors.ts';
import { getTool } from './get-tool.ts';

const deps = {
  catalogue: catalogueOf(
    testConnector('zoo', { name: 'A first', tools: [testTool('echo'), testTool('feed')] }),
    testConnector('crm', { name: 'Z last', tools: [testTool('echo')] }),
  ),
};
const ctx = testContext();

it('returns the only tool with a slug, or that of the named application', async () => {
  expect(await getTool(deps, ctx, 'feed', '')).toMatchObject({ application: { connector: { slug: 'zoo' } } });
  expect(await getTool(deps, ctx, 'echo', 'crm')).toMatchObject({
    application: { connector: { slug: 'crm' } },
  });
});

it('names the applications, ordered by slug, if several have the tool', async () => {
  await expect(getTool(deps, ctx, 'echo', '')).rejects.toMatchObject({
    code: 'AMBIGUOUS_TOOL',
    candidates: ['crm', 'zoo'],
  });
});

it.each([
  ['nope', ''],
  ['feed', 'crm'],
])('is NOT_FOUND for the tool %s of the application "%s"', async (toolSlug, applicationSlug) => {
  await expect(getTool(deps, ctx, toolSlug, applicationSlug)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
