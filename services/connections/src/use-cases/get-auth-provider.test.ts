import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connectorHead, openedProvider, OWNER, providerMethod } from '../testing/builders.ts';
import { getAuthProvider } from './get-auth-provider.ts';

const { provider } = openedProvider();
const deps = {
  catalog: {
    getConnector: () => Promise.resolve(connectorHead({ authenticationMethods: [providerMethod()] })),
  },
  authProviders: {
    find: (_ctx: unknown, accountId: string, id: number) =>
      Promise.resolve(accountId === OWNER.accountId && id === provider.id ? provider : undefined),
  },
};

test('a provider of the account is shown with the slots of its method; any other is NOT_FOUND', async () => {
  expect(await getAuthProvider(deps, testContext(OWNER), 3)).toMatchObject({
    id: 3,
    slots: [
      { slot: 'Key1', label: 'Client id' },
      { slot: 'Key2', isSecret: true, value: null },
    ],
  });
  for (const [owner, id] of [
    [OWNER, 4],
    [{ ...OWNER, accountId: 'acc_2' }, 3],
  ] as const) {
    await expect(getAuthProvider(deps, testContext(owner), id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
});
