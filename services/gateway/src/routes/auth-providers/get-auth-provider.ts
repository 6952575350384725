import { authProviderRecord, presentAuthProvider } from '@fairlead/rest-records/auth-provider';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { authProviderParams } from './inputs.ts';

export const getAuthProvider = defineRoute(
  {
    operationId: 'getAuthProvider',
    method: 'get',
    path: '/v1/auth-providers/{id}',
    tags: ['Auth'],
    summary: 'Get an auth provider',
    services: ['authProviders'],
    permission: 'authProviders.manage',
    params: authProviderParams,
    resource: 'auth provider',
    response: authProviderRecord,
  },
  async ({ ctx, params: { id }, services }) => {
    const { authProvider } = await services.authProviders.getAuthProvider(ctx, { id });
    return presentAuthProvider(required(authProvider));
  },
);
