import { expect, it } from 'vitest';
import { trigger, webhook } from '../testing/triggers.ts';
import { resolveHook } from './resolve-hook.ts';

it('finds the trigger of a digest with its account, if there is one', async () => {
  const known = new Map([['h', { ...trigger(), accountId: 'acc_1' }]]);
  const registered = new Map([['w', { ...webhook(), triggerId: 'trg_2' }]]);
  const deps = {
    firings: { findByHooks: () => Promise.resolve(known) },
    webhooks: { findByTokens: () => Promise.resolve(registered) },
  };
  expect(await resolveHook(deps, 'h')).toEqual({ triggerId: 'trg_1', accountId: 'acc_1' });
  expect(await resolveHook(deps, 'w')).toEqual({ triggerId: 'trg_2', accountId: 'acc_1' });
  expect(await resolveHook(deps, 'x')).toBeUndefined();
});
