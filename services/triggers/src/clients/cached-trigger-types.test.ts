import { notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { MADE_AT, triggerType } from '../testing/triggers.ts';
import { createCachedTriggerTypes } from './cached-trigger-types.ts';

const mine = testContext({ accountId: 'mine' });
const other = testContext({ accountId: 'other' });

function setUp() {
  const clock = new ManualClock(MADE_AT);
  const asked: string[] = [];
  const state: { session: number | undefined } = { session: 1 };
  let evict: (accountId: string | undefined) => void = () => undefined;
  const types = createCachedTriggerTypes(
    {
      resolve(_ctx, slug) {
        asked.push(slug);
        return slug === 'none'
          ? Promise.reject(notFound('trigger type'))
          : Promise.resolve(triggerType({ slug }));
      },
    },
    {
      clock,
      subscribe(onChange) {
        evict = onChange;
        return { session: () => state.session };
      },
    },
  );
  return { types, clock, asked, state, evict: (accountId?: string) => evict(accountId) };
}

test('a trigger type is asked for once in two seconds by each account', async () => {
  const { types, clock, asked } = setUp();
  for (const ctx of [mine, mine, other]) expect(await types.resolve(ctx, 'a')).toMatchObject({ slug: 'a' });
  await types.resolve(mine, 'b');
  expect(asked).toEqual(['a', 'a', 'b']);
  clock.advance(2_000);
  await types.resolve(mine, 'a');
  expect(asked).toHaveLength(4);
});

test('a change of the account, or of the platform, is seen by the next call', async () => {
  const { types, asked, evict } = setUp();
  for (const ctx of [mine, other]) await types.resolve(ctx, 'a');
  evict('mine');
  for (const ctx of [mine, other]) await types.resolve(ctx, 'a');
  expect(asked).toHaveLength(3);
  evict();
  for (const ctx of [mine, other]) await types.resolve(ctx, 'a');
  expect(asked).toHaveLength(5);
});

test('nothing is cached while changes may be missed, and no type that does not exist', async () => {
  const { types, asked, state } = setUp();
  for (const _ of [1, 2])
    await expect(types.resolve(mine, 'none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  state.session = undefined;
  for (const _ of [1, 2]) await types.resolve(mine, 'a');
  expect(asked).toEqual(['none', 'none', 'a', 'a']);
});
