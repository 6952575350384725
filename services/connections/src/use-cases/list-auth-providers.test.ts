import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connectorHead, openedProvider, OWNER, providerMethod } from '../testing/builders.ts';
import { listAuthProviders } from './list-auth-providers.ts';

test('a page of the account’s providers is shown with their slots and the count of all', async () => {
  const asked: unknown[] = [];
  const deps = {
    catalog: {
      getConnector: () => Promise.resolve(connectorHead({ authenticationMethods: [providerMethod()] })),
    },
    authProviders: {
      list: (_ctx: unknown, accountId: string, page: unknown) => {
        asked.push([accountId, page]);
        return Promise.resolve({ items: [openedProvider().provider], totalCount: 7 });
      },
    },
  };
  const page = await listAuthProviders(deps, testContext(OWNER), { offset: 6, top: 1 });
  expect(asked).toEqual([[OWNER.accountId, { offset: 6, top: 1 }]]);
  expect(page).toMatchObject({
    items: [{ id: 3, slots: [{ slot: 'Key1' }, { slot: 'Key2' }] }],
    totalCount: 7,
  });
});
