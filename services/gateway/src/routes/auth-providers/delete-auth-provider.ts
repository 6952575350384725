import { defineRoute } from '../define-route.ts';
import { authProviderParams } from './inputs.ts';

export const deleteAuthProvider = defineRoute(
  {
    operationId: 'deleteAuthProvider',
    method: 'delete',
    path: '/v1/auth-providers/{id}',
    tags: ['Auth'],
    summary: 'Delete an auth provider',
    description:
      'Refused while a connection is signed in through it; a sign-in that is not completed does not count.',
    services: ['authProviders'],
    permission: 'authProviders.manage',
    params: authProviderParams,
    resource: 'auth provider',
    errors: ['AUTH_PROVIDER_IN_USE'],
  },
  async ({ ctx, params: { id }, services }) => {
    await services.authProviders.deleteAuthProvider(ctx, { id });
    return undefined;
  },
);
