import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { catalogueOf, oauthMethod, testConnector } from '../testing/connectors.ts';
import { listAuthProviderSources } from './list-auth-provider-sources.ts';

const refusing = (id: number): AuthenticationMethod => {
  const method = oauthMethod(id, 'clientCredentials');
  if (method.scheme.type !== 'oauth2') throw new Error('no OAuth method');
  return { ...method, scheme: { ...method.scheme, allowsAuthProvider: false } };
};

it('lists the applications with a method that takes auth providers, by name, and those methods only', async () => {
  const catalogue = catalogueOf(
    testConnector('crm', {
      name: 'CRM',
      authenticationMethods: [oauthMethod(3, 'authorizationCode'), refusing(4)],
    }),
    testConnector('mail', { name: 'Mail' }),
    testConnector('drive', { name: 'Drive', authenticationMethods: [oauthMethod(0, 'authorizationCode')] }),
  );
  const page = await listAuthProviderSources({ catalogue }, testContext(), { offset: 0, top: 1 });
  expect(page.totalCount).toBe(2);
  expect(page.items).toMatchObject([{ applicationSlug: 'crm', methods: [{ authenticationId: 3 }] }]);
  expect(page.items[0]?.methods).toHaveLength(1);
  const rest = await listAuthProviderSources({ catalogue }, testContext(), { offset: 1, top: 10 });
  expect(rest.items).toMatchObject([{ applicationSlug: 'drive' }]);
});
