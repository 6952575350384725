import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { destination } from '../testing/destinations.ts';
import { listDestinations } from './list-destinations.ts';

it('is confined to the account of the caller', async () => {
  const destinations = {
    list: (_ctx: unknown, accountId: string, page: unknown) =>
      Promise.resolve({
        items: [destination({ name: `${accountId} ${JSON.stringify(page)}` })],
        totalCount: 1,
      }),
  };
  const ctx = testContext({ accountId: 'acc_1' });
  const { items, totalCount } = await listDestinations({ destinations }, ctx, { offset: 1, top: 2 });
  expect([items[0]?.name, totalCount]).toEqual(['acc_1 {"offset":1,"top":2}', 1]);
});
