import { expect, it } from 'vitest';
import { MADE_AT, registered, trigger } from '../testing/triggers.ts';
import { findHooks } from './find-hooks.ts';

const owned = (members: Parameters<typeof trigger>[0]) => ({ ...trigger(members), accountId: 'acc_1' });

/** Addresses `plain`, `filtered` and `off` of triggers, and `vendor`, `former` and `early` of registrations. */
function world() {
  const reporting = owned({ id: 'trg_2', webhookId: 'whk_1', enabledAt: MADE_AT });
  const triggers = new Map([
    ['plain', owned({})],
    ['filtered', owned({ filter: 'x' })],
    ['off', owned({ isEnabled: false })],
  ]);
  const registrations = new Map([
    ['vendor', registered({ triggerId: 'trg_2' })],
    ['former', registered({ id: 'whk_0', triggerId: 'trg_2' })],
    ['early', registered({ triggerId: 'trg_3' })],
  ]);
  const asked: (readonly string[])[] = [];
  const among = <T>(all: ReadonlyMap<string, T>, hashes: readonly string[]): Map<string, T> =>
    new Map([...all].filter(([hash]) => hashes.includes(hash)));
  const deps = {
    firings: {
      findByHooks: (hashes: readonly string[]) => Promise.resolve(among(triggers, hashes)),
      findMany: () => Promise.resolve(new Map([['trg_2', reporting]])),
    },
    webhooks: {
      findByTokens(hashes: readonly string[]) {
        asked.push(hashes);
        return Promise.resolve(among(registrations, hashes));
      },
    },
  };
  return { deps, asked, reporting, triggers };
}

it('finds the trigger of an address only if it takes calls; with a filter they take time', async () => {
  const { deps, asked, triggers } = world();
  const hooks = await findHooks(deps, ['plain', 'filtered', 'off']);
  expect(hooks.get('plain')).toMatchObject({ triggerId: 'trg_1', takesTime: false, webhook: undefined });
  expect(hooks.get('plain')?.trigger).toBe(triggers.get('plain'));
  expect(hooks.get('filtered')).toMatchObject({ takesTime: true });
  expect(hooks.get('off')).toMatchObject({ accountId: 'acc_1', triggerId: 'trg_1', trigger: undefined });
  // All are triggers' own, so registrations are not queried.
  expect(asked).toEqual([]);
});

it('an address that a vendor calls has its trigger while the registration is the one that is wanted', async () => {
  const { deps, asked, reporting } = world();
  const hooks = await findHooks(deps, ['plain', 'vendor', 'former', 'early', 'unknown']);
  expect(asked).toEqual([['vendor', 'former', 'early', 'unknown']]);
  expect(hooks.get('vendor')).toMatchObject({ triggerId: 'trg_2', takesTime: true });
  expect(hooks.get('vendor')?.trigger).toBe(reporting);
  expect(hooks.get('former')).toMatchObject({ triggerId: 'trg_2', trigger: undefined, takesTime: true });
  // The trigger of `early` is not stored yet.
  expect(hooks.get('early')).toMatchObject({ triggerId: 'trg_3', trigger: undefined });
  expect(hooks.has('unknown')).toBe(false);
});
