import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { catalogueOf, oauthMethod, testConnector } from '../testing/connectors.ts';
import { getApplication } from './get-application.ts';

const methods = { authenticationMethods: [oauthMethod(3, 'authorizationCode')] };
const deps = { catalogue: catalogueOf(testConnector('crm', methods)) };

it('says whether the application can be connected with the given clients', async () => {
  const withClient = [{ applicationSlug: 'crm', authenticationId: 3, isOwn: true }];
  expect(await getApplication(deps, testContext(), 'crm', withClient)).toMatchObject({ isAvailable: true });
  expect(await getApplication(deps, testContext(), 'crm', [])).toMatchObject({
    application: { connector: { slug: 'crm' } },
    isAvailable: false,
  });
});

it('is NOT_FOUND for an application that the caller does not see', async () => {
  await expect(getApplication(deps, testContext(), 'nope', [])).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('an application of the platform is none of the account’s own', async () => {
  await expect(getApplication(deps, testContext(), 'crm', [], true)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
