import { z } from 'zod';
import { slug } from '@fairlead/rest-kit/fields';
import { authProviderRecord, presentAuthProvider } from '@fairlead/rest-records/auth-provider';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { authProviderName, refuseClientNames, scopes, slotValues } from './inputs.ts';

const body = z
  .object({
    name: authProviderName,
    applicationSlug: slug,
    authenticationId: z.int32().min(0),
    isDefault: z
      .boolean()
      .default(false)
      .describe('True: the former default of the method is one no longer.'),
    isEnabled: z.boolean().default(true),
    values: slotValues.default({}),
    scopes: scopes.default(null),
  })
  .meta({ id: 'CreateAuthProviderRequest' });

export const createAuthProvider = defineRoute(
  {
    operationId: 'createAuthProvider',
    method: 'post',
    path: '/v1/auth-providers',
    tags: ['Auth'],
    summary: 'Create an auth provider',
    description:
      'Stores the account’s own OAuth client for one method of one application, for use by many connections. An empty ' +
      'value is as absent. `clientId` and `clientSecret` do not exist: values are sent by slot.',
    services: ['authProviders'],
    resource: 'application',
    permission: 'authProviders.create',
    refuseBody: refuseClientNames,
    body,
    response: authProviderRecord,
    status: 201,
    errors: ['NOT_FOUND', 'INVALID_AUTH_PROVIDER', 'CONFLICT'],
  },
  async ({ ctx, body: { scopes: sentScopes, ...sent }, services }) => {
    const { authProvider } = await services.authProviders.createAuthProvider(ctx, {
      ...sent,
      ...(sentScopes !== null && { scopes: { scopes: sentScopes } }),
    });
    return presentAuthProvider(required(authProvider));
  },
);
