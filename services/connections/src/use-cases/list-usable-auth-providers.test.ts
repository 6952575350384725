import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/builders.ts';
import { listUsableAuthProviders } from './list-usable-auth-providers.ts';

test.each(['crm', undefined])(
  'only enabled ones of the account are asked for: %s',
  async (applicationSlug) => {
    const asked: unknown[] = [];
    const list = (_ctx: unknown, accountId: string, o: unknown) => {
      asked.push([accountId, o]);
      return Promise.resolve({ items: [], totalCount: 0 });
    };
    await listUsableAuthProviders({ authProviders: { list } }, testContext(OWNER), {
      offset: 5,
      top: 10,
      applicationSlug,
    });
    expect(asked).toEqual([[OWNER.accountId, { offset: 5, top: 10, usable: { applicationSlug } }]]);
  },
);
