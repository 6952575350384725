import { ManualClock } from '@fairlead/service-kit/clock';
import { describe, expect, test } from 'vitest';
import { createFindOpenAccounts } from './accounts.ts';
import { createIdentityCaches } from './credential-caches.ts';

function setUp() {
  const clock = new ManualClock(new Date(0));
  const requests: (readonly string[])[] = [];
  const state = { isAway: false, open: new Set(['open']), closed: new Set(['closed']) };
  let change: (accountId: string | undefined) => void = () => undefined;
  const caches = createIdentityCaches({
    clock,
    subscribe(onChange) {
      change = onChange;
      return { session: () => 1 };
    },
  });
  const find = createFindOpenAccounts(caches, {
    areOpen(accountIds) {
      requests.push(accountIds);
      if (state.isAway) return Promise.reject(new Error('away'));
      return Promise.resolve(
        accountIds.map((id) => (state.open.has(id) ? true : state.closed.has(id) ? false : undefined)),
      );
    },
  });
  return { find, clock, requests, state, change: (accountId: string) => change(accountId) };
}

describe('open accounts', () => {
  test('are those that exist and are not being erased', async () => {
    expect(await setUp().find(['open', 'closed', 'none'])).toEqual(new Set(['open']));
  });

  test('are looked up together, and only those that are not known', async () => {
    const { find, requests } = setUp();
    await find(['open', 'closed']);
    await Promise.all([find(['open', 'none']), find(['other', 'closed'])]);
    await find(['open', 'closed']);
    expect(requests).toEqual([
      ['open', 'closed'],
      ['none', 'other'],
    ]);
  });

  test('are looked up a thousand at a time', async () => {
    const { find, requests } = setUp();
    await find(Array.from({ length: 2_001 }, (_, index) => String(index)));
    expect(requests.map(({ length }) => length)).toEqual([1_000, 1_000, 1]);
  });

  test('are looked up again after a change', async () => {
    const { find, state, change } = setUp();
    await find(['open']);
    state.open.delete('open');
    expect(await find(['open'])).toEqual(new Set(['open']));
    change('open');
    expect(await find(['open'])).toEqual(new Set());
  });

  test('that were created after they had been looked up are found as soon as the change is announced', async () => {
    const { find, state, change } = setUp();
    await find(['new']);
    state.open.add('new');
    change('new');
    expect(await find(['new'])).toEqual(new Set(['new']));
  });

  test('that are known are found while identity is away; others are not declared closed', async () => {
    const { find, state } = setUp();
    await find(['open']);
    state.isAway = true;
    expect(await find(['open'])).toEqual(new Set(['open']));
    await expect(find(['open', 'none'])).rejects.toThrow('away');
  });
});
