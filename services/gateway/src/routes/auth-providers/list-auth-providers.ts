import { authProviderRecord, presentAuthProvider } from '@fairlead/rest-records/auth-provider';
import { defineRoute } from '../define-route.ts';

export const listAuthProviders = defineRoute(
  {
    operationId: 'listAuthProviders',
    method: 'get',
    path: '/v1/auth-providers',
    tags: ['Auth'],
    summary: 'List auth providers',
    description: 'The account’s own OAuth clients, newest first. Secrets are never returned.',
    services: ['authProviders'],
    permission: 'authProviders.manage',
    page: { defaultTop: 100 },
    response: authProviderRecord,
  },
  async ({ ctx, page, services }) => {
    const { items, totalCount } = await services.authProviders.listAuthProviders(ctx, { page });
    return { items: items.map(presentAuthProvider), totalCount };
  },
);
