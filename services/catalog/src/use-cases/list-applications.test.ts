import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import { catalogueOf, oauthMethod, testConnector } from '../testing/connectors.ts';
import { listApplications } from './list-applications.ts';
import type { ApplicationQuery } from './list-applications.ts';

const catalogue = catalogueOf(
  testConnector('crm', { name: 'CRM', authenticationMethods: [oauthMethod(3, 'authorizationCode')] }),
  testConnector('mail', { name: 'Mail', kind: 'Key' }),
  testConnector('mailbox', { name: 'Mail box' }),
);

async function listSlugs(query: Partial<ApplicationQuery>, of = catalogue) {
  const { items, totalCount } = await listApplications({ catalogue: of }, testContext(), {
    kind: undefined,
    available: undefined,
    search: '',
    signInClients: [],
    page: { offset: 0, top: 100 },
    kinds: [],
    omitConnectionless: false,
    ...query,
  });
  return { slugs: items.map(({ application }) => application.connector.slug), totalCount, items };
}

describe('listApplications', () => {
  it('filters before it pages, and counts what matches', async () => {
    expect(await listSlugs({ page: { offset: 1, top: 1 } })).toMatchObject({
      slugs: ['mail'],
      totalCount: 3,
    });
    expect(await listSlugs({ kind: 'Regular', page: { offset: 1, top: 1 } })).toMatchObject({
      slugs: ['mailbox'],
      totalCount: 2,
    });
  });

  it('treats an application with a sign-in as available only if there is a client for it', async () => {
    const signInClients = [{ applicationSlug: 'crm', authenticationId: 3, isOwn: true }];
    expect((await listSlugs({ available: true })).slugs).toEqual(['mail', 'mailbox']);
    expect((await listSlugs({ available: false })).slugs).toEqual(['crm']);
    expect((await listSlugs({ available: false, signInClients })).slugs).toEqual([]);
  });

  it('leaves out applications for which no connection is needed, if asked to', async () => {
    const needless = catalogueOf(testConnector('clock', { baseUrl: null }), testConnector('crm'));
    const slugs = async (omitConnectionless: boolean) =>
      (await listSlugs({ omitConnectionless }, needless)).slugs;
    expect(await slugs(false)).toEqual(['clock', 'crm']);
    expect(await slugs(true)).toEqual(['crm']);
  });

  it('orders by relevance, with scores, if there is a search', async () => {
    const { slugs, items } = await listSlugs({ search: '  mail ' });
    expect(slugs).toEqual(['mail', 'mailbox']);
    expect(items[0]?.score).toBe(1);
    expect((await listSlugs({ search: 'mail', kind: 'Regular' })).slugs).toEqual(['mailbox']);
  });

  it('treats a blank search as none', async () => {
    const { slugs, items } = await listSlugs({ search: '   ' });
    expect(slugs).toEqual(['crm', 'mail', 'mailbox']);
    expect(items[0]?.score).toBeUndefined();
  });

  it('refuses a search of more than 1 000 characters', async () => {
    expect((await listSlugs({ search: 'x'.repeat(1000) })).slugs).toEqual([]);
    await expect(listSlugs({ search: 'x'.repeat(1001) })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'search' }],
    });
  });
});
