import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import { catalogueOf, testConnector, testTriggerType } from '../testing/connectors.ts';
import { listTriggerTypes } from './list-trigger-types.ts';
import type { TriggerTypeQuery } from './list-trigger-types.ts';

const catalogue = catalogueOf(
  testConnector('crm', {
    triggerTypes: [
      testTriggerType('crm-deal-updated', { name: 'Deal updated' }),
      testTriggerType('crm-contact-created', { name: 'contact created' }),
    ],
  }),
  testConnector('schedule', { triggerTypes: [testTriggerType('schedule', { name: 'Schedule' })] }),
);

async function listSlugs(query: Partial<TriggerTypeQuery>) {
  const { items, totalCount } = await listTriggerTypes({ catalogue }, testContext(), {
    applicationSlug: '',
    search: '',
    page: { offset: 0, top: 100 },
    ...query,
  });
  return {
    slugs: items.map(({ triggerType }) => triggerType.slug),
    totalCount,
    scores: items.map(({ score }) => score),
  };
}

describe('listTriggerTypes', () => {
  it('lists those of one application or all by name, whatever its case, and counts them over all pages', async () => {
    expect((await listSlugs({})).slugs).toEqual(['crm-contact-created', 'crm-deal-updated', 'schedule']);
    expect(await listSlugs({ page: { offset: 1, top: 1 } })).toMatchObject({
      slugs: ['crm-deal-updated'],
      totalCount: 3,
    });
    expect(await listSlugs({ applicationSlug: 'schedule' })).toEqual({
      slugs: ['schedule'],
      totalCount: 1,
      scores: [undefined],
    });
    expect(await listSlugs({ applicationSlug: 'nope' })).toMatchObject({ slugs: [], totalCount: 0 });
  });

  it('searches within one application or all, by relevance', async () => {
    expect(await listSlugs({ search: 'schedule' })).toEqual({
      slugs: ['schedule'],
      totalCount: 1,
      scores: [1],
    });
    expect((await listSlugs({ search: 'deal', applicationSlug: 'schedule' })).slugs).toEqual([]);
    expect((await listSlugs({ search: 'deal' })).slugs).toEqual(['crm-deal-updated']);
  });
});
