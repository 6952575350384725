import { z } from 'zod';
import { authProviderRecord, presentAuthProvider } from '@fairlead/rest-records/auth-provider';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { authProviderName, authProviderParams, refuseClientNames, scopes, slotValues } from './inputs.ts';

const body = z
  .object({
    name: authProviderName.exactOptional(),
    isDefault: z.boolean().exactOptional(),
    isEnabled: z.boolean().exactOptional(),
    values: slotValues
      .default({})
      .describe(
        'A slot that is left out keeps its value; an empty value clears the slot. A change of a slot with an address needs the secret slots again.',
      ),
    scopes: scopes.exactOptional(),
  })
  .meta({ id: 'UpdateAuthProviderRequest' });

export const updateAuthProvider = defineRoute(
  {
    operationId: 'updateAuthProvider',
    method: 'patch',
    path: '/v1/auth-providers/{id}',
    tags: ['Auth'],
    summary: 'Change an auth provider',
    description:
      'A member that is left out keeps its value; `applicationSlug` and `authenticationId` are ignored. Values and scopes are read at each ' +
      'use, so that a corrected secret heals every connection that is signed in through the auth provider.',
    services: ['authProviders'],
    permission: 'authProviders.manage',
    params: authProviderParams,
    resource: 'auth provider',
    refuseBody: refuseClientNames,
    body,
    response: authProviderRecord,
    errors: ['INVALID_AUTH_PROVIDER', 'CONFLICT'],
  },
  async ({ ctx, params: { id }, body: { scopes: sentScopes, ...sent }, services }) => {
    const { authProvider } = await services.authProviders.updateAuthProvider(ctx, {
      ...sent,
      id,
      ...(sentScopes !== undefined && {
        scopeChange:
          sentScopes === null
            ? { case: 'useMethodScopes', value: true }
            : { case: 'scopes', value: { scopes: sentScopes } },
      }),
    });
    return presentAuthProvider(required(authProvider));
  },
);
