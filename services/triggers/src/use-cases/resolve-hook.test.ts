import { expect, it } from 'vitest';
import { MADE_AT, registered, trigger } from '../testing/triggers.ts';
import { resolveHook } from './resolve-hook.ts';

it('finds the trigger of a digest with its account, whether it takes calls, and whether these take time', async () => {
  const owned = (members: Parameters<typeof trigger>[0]) => ({ ...trigger(members), accountId: 'acc_1' });
  const known = new Map([
    ['open', owned({})],
    ['filtered', owned({ filter: 'x' })],
    ['off', owned({ isEnabled: false })],
  ]);
  const vendors = new Map([
    ['vendor', registered({ triggerId: 'trg_2' })],
    ['former', registered({ id: 'whk_0', triggerId: 'trg_2' })],
    ['early', registered({ triggerId: 'trg_3' })],
  ]);
  const deps = {
    firings: {
      findByHooks: () => Promise.resolve(known),
      findMany: () =>
        Promise.resolve(new Map([['trg_2', owned({ id: 'trg_2', webhookId: 'whk_1', enabledAt: MADE_AT })]])),
    },
    webhooks: { findByTokens: () => Promise.resolve(vendors) },
  };
  const accountId = 'acc_1';
  const mine = { triggerId: 'trg_1', accountId };
  expect(await resolveHook(deps, 'open')).toEqual({ ...mine, isDisabled: false, takesTime: false });
  expect(await resolveHook(deps, 'filtered')).toEqual({ ...mine, isDisabled: false, takesTime: true });
  expect(await resolveHook(deps, 'off')).toEqual({ ...mine, isDisabled: true, takesTime: false });
  const called = { triggerId: 'trg_2', accountId, takesTime: true };
  expect(await resolveHook(deps, 'vendor')).toEqual({ ...called, isDisabled: false });
  expect(await resolveHook(deps, 'former')).toEqual({ ...called, isDisabled: true });
  // The vendor may call before the trigger is stored.
  expect(await resolveHook(deps, 'early')).toEqual({ ...called, triggerId: 'trg_3', isDisabled: true });
  expect(await resolveHook(deps, 'x')).toBeUndefined();
});
