import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { apiTokenMethod, heldProviders, openedProvider, OWNER, providerMethod } from '../testing/builders.ts';
import { findClient } from './find-client.ts';

const deps = {
  ownClients: { find: () => ({ clientId: 'own', clientSecret: 'own-s3cr3t' }) },
  authProviders: heldProviders(openedProvider({ isEnabled: false })),
};
const find = (authProviderId: number | null, method = providerMethod()) =>
  findClient(deps, testContext(OWNER), { ...OWNER, applicationSlug: 'crm', method, authProviderId });

test('the connector’s own client, and a provider although it is disabled, give their values to the method’s fields', async () => {
  expect(await find(0)).toMatchObject({ fields: { clientId: 'own', clientSecret: 'own-s3cr3t' } });
  expect(await find(3)).toMatchObject({
    fields: { clientId: 'provider-id', clientSecret: 'provider-s3cr3t' },
  });
});

test.each([
  ['the connection’s own fields', null, providerMethod()],
  ['a provider that is gone', 4, providerMethod()],
  ['a method without OAuth', 0, apiTokenMethod()],
])('there is none for %s', async (_what, authProviderId, method) => {
  expect(await find(authProviderId, method)).toBeUndefined();
});
