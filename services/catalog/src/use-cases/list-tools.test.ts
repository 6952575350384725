import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import { catalogueOf, testConnector, testTool } from '../testing/connectors.ts';
import { listTools } from './list-tools.ts';
import type { ToolQuery } from './list-tools.ts';

const catalogue = catalogueOf(
  testConnector('crm', { tools: [testTool('list-deals'), testTool('send-mail')] }),
  testConnector('mail', { tools: [testTool('send-mail-now')] }),
);

async function listSlugs(query: Partial<ToolQuery>) {
  const { items, totalCount } = await listTools({ catalogue }, testContext(), {
    applicationSlug: '',
    search: '',
    page: { offset: 0, top: 100 },
    ...query,
  });
  return {
    slugs: items.map(({ tool }) => tool.toolSlug),
    totalCount,
    scores: items.map(({ score }) => score),
  };
}

describe('listTools', () => {
  it('keeps the tools of one application or all, and counts them over all pages', async () => {
    expect(await listSlugs({ page: { offset: 1, top: 1 } })).toMatchObject({
      slugs: ['send-mail'],
      totalCount: 3,
    });
    expect(await listSlugs({ applicationSlug: 'mail' })).toMatchObject({
      slugs: ['send-mail-now'],
      totalCount: 1,
      scores: [undefined],
    });
    expect(await listSlugs({ applicationSlug: 'nope' })).toMatchObject({ slugs: [], totalCount: 0 });
  });

  it('searches within one application or all, by relevance', async () => {
    const all = await listSlugs({ search: 'send-mail', page: { offset: 0, top: 1 } });
    expect(all).toEqual({ slugs: ['send-mail'], totalCount: 2, scores: [1] });
    expect((await listSlugs({ search: 'send-mail', applicationSlug: 'mail' })).slugs).toEqual([
      'send-mail-now',
    ]);
  });

  it('refuses a search of more than 1 000 characters', async () => {
    await expect(listSlugs({ search: 'x'.repeat(1001) })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
