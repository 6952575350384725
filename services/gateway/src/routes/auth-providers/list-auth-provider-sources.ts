import { authProviderSource, presentAuthProviderSource } from '@fairlead/rest-records/auth-provider';
import { defineRoute } from '../define-route.ts';

export const listAuthProviderSources = defineRoute(
  {
    operationId: 'listAuthProviderSources',
    method: 'get',
    path: '/v1/auth-providers/sources',
    tags: ['Auth'],
    summary: 'List what auth providers can be created for',
    description:
      'The applications whose methods take auth providers, by name, with the slots of each method.',
    services: ['applications'],
    permission: 'authProviders.create',
    page: { defaultTop: 100 },
    response: authProviderSource,
  },
  async ({ ctx, page, services }) => {
    const { items, totalCount } = await services.applications.listAuthProviderSources(ctx, { page });
    return { items: items.map(presentAuthProviderSource), totalCount };
  },
);
