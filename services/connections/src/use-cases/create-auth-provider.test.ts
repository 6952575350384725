import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { NewAuthProvider } from '../ports/auth-provider-store.ts';
import { connectorHead, NOW, openedProvider, OWNER, providerMethod } from '../testing/builders.ts';
import { createAuthProvider } from './create-auth-provider.ts';

const command = {
  name: 'Ours',
  applicationSlug: 'crm',
  authenticationId: 0,
  isDefault: false,
  isEnabled: true,
  scopes: null,
  values: { Key1: 'id', Key2: 's3cr3t' },
};

function world(result: 'stored' | 'taken' | 'full' = 'stored') {
  const stored: NewAuthProvider[] = [];
  const deps = {
    catalog: {
      getConnector: () => Promise.resolve(connectorHead({ authenticationMethods: [providerMethod()] })),
    },
    authProviders: {
      nextId: () => Promise.resolve(3),
      insert: (_ctx: unknown, given: NewAuthProvider) => {
        stored.push(given);
        return Promise.resolve(result === 'stored' ? openedProvider().provider : result);
      },
    },
    clock: new ManualClock(NOW),
  };
  return { deps, stored };
}

const ctx = testContext(OWNER);

test('a provider is stored for the caller’s account, its secrets apart, and shown without them', async () => {
  const { deps, stored } = world();
  const shown = await createAuthProvider(deps, ctx, command);
  expect(stored).toMatchObject([
    {
      id: 3,
      accountId: OWNER.accountId,
      slots: { plain: { Key1: 'id' }, secret: { Key2: 's3cr3t' }, cleared: [] },
      createdAt: NOW,
    },
  ]);
  expect(shown.slots).toMatchObject([
    { slot: 'Key1', value: 'provider-id' },
    { slot: 'Key2', value: null },
  ]);
});

test.each([
  ['a missing required slot', { values: { Key1: 'id' } }, 'INVALID_AUTH_PROVIDER'],
  ['an empty required slot', { values: { Key1: 'id', Key2: '' } }, 'INVALID_AUTH_PROVIDER'],
  ['a reserved name', { name: 'none' }, 'INVALID_AUTH_PROVIDER'],
  ['an unknown method', { authenticationId: 9 }, 'VALIDATION_ERROR'],
])('%s is refused and nothing is stored', async (_what, over, code) => {
  const { deps, stored } = world();
  await expect(createAuthProvider(deps, ctx, { ...command, ...over })).rejects.toMatchObject({ code });
  expect(stored).toEqual([]);
});

test.each([
  ['taken', 'already'],
  ['full', 'at most 1000'],
] as const)('%s is a CONFLICT', async (result, text) => {
  const creation = createAuthProvider(world(result).deps, ctx, command);
  await expect(creation).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(text) as string,
  });
});
