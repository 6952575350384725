import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { AuthProvider } from '../domain/auth-provider.ts';
import type { AuthProviderChange } from '../ports/auth-provider-store.ts';
import { connectorHead, field, NOW, openedProvider, OWNER, providerMethod } from '../testing/builders.ts';
import { updateAuthProvider } from './update-auth-provider.ts';

const ctx = testContext(OWNER);
const { provider } = openedProvider();
const method = {
  ...providerMethod(),
  baseUrl: '{{field.base}}/api',
  fields: [...providerMethod().fields, field('base', { providerSlot: 'BaseUrl' })],
};

function world(result: 'stored' | 'taken' = 'stored') {
  const changes: AuthProviderChange[] = [];
  const rules: ((former: AuthProvider) => boolean)[] = [];
  const deps = {
    catalog: {
      getConnector: () => Promise.resolve(connectorHead({ authenticationMethods: [method] })),
    },
    authProviders: {
      find: (_ctx: unknown, accountId: string, id: number) =>
        Promise.resolve(accountId === OWNER.accountId && id === provider.id ? provider : undefined),
      update: (
        _ctx: unknown,
        _accountId: string,
        _id: number,
        change: AuthProviderChange,
        { isMove }: { readonly isMove: (former: AuthProvider) => boolean },
      ) => {
        changes.push(change);
        rules.push(isMove);
        return Promise.resolve(result === 'taken' ? result : provider);
      },
    },
    clock: new ManualClock(NOW),
  };
  return { deps, changes, rules };
}

test('only what is given changes; a slot that is set to empty is cleared', async () => {
  const { deps, changes } = world();
  await updateAuthProvider(deps, ctx, { id: 3, name: 'New', values: {} });
  await updateAuthProvider(deps, ctx, { id: 3, scopes: null, values: { Key2: '' } });
  expect(changes).toEqual([
    { name: 'New' },
    { scopes: null, slots: { plain: {}, secret: {}, cleared: ['Key2'] } },
  ]);
});

test.each([
  ['an unknown provider', { id: 4, values: {} }, 'NOT_FOUND'],
  ['an unknown slot', { id: 3, values: { Key9: 'x' } }, 'INVALID_AUTH_PROVIDER'],
  ['a reserved name', { id: 3, name: '12', values: {} }, 'INVALID_AUTH_PROVIDER'],
])('%s is refused and nothing changes', async (_what, command, code) => {
  const { deps, changes } = world();
  await expect(updateAuthProvider(deps, ctx, command)).rejects.toMatchObject({ code });
  expect(changes).toEqual([]);
});

test('a new address is checked against the provider as it is then', async () => {
  const { deps, rules } = world();
  await updateAuthProvider(deps, ctx, { id: 3, values: { BaseUrl: 'https://b.example' } });
  const [isMove] = rules;
  const values = { BaseUrl: 'https://a.example' };
  expect(() => isMove?.({ ...provider, values })).toThrow(
    expect.objectContaining({
      code: 'INVALID_AUTH_PROVIDER',
      details: [{ field: 'values.Key2', issue: 'must be sent again (Secret)' }],
    }),
  );
  expect(isMove?.({ ...provider, values, secretSlots: [] })).toBe(true);
  expect(isMove?.({ ...provider, values: { BaseUrl: 'https://b.example' } })).toBe(false);
  // An earlier release of the connector stored the address as a secret, so it cannot be compared.
  expect(() => isMove?.({ ...provider, values: {}, secretSlots: ['BaseUrl', 'Key2'] })).toThrow('Key2');
});

test('a name that is taken is a CONFLICT', async () => {
  const { deps } = world('taken');
  await expect(updateAuthProvider(deps, ctx, { id: 3, name: 'Other', values: {} })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
});
