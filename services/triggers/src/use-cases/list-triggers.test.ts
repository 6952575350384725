import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { trigger } from '../testing/triggers.ts';
import { listTriggers } from './list-triggers.ts';

it('returns the page of the calling account', async () => {
  const triggers = {
    list: (_ctx: unknown, accountId: string) =>
      Promise.resolve({ items: [trigger({ name: accountId })], totalCount: 1 }),
  };
  const ctx = testContext({ accountId: 'acc_7' });
  const { items } = await listTriggers({ triggers }, ctx, { offset: 0, top: 1 });
  expect(items.map(({ name }) => name)).toEqual(['acc_7']);
});
