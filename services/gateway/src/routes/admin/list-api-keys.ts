import { apiKeyRecord, presentApiKey } from '@fairlead/rest-records/api-key';
import { defineRoute } from '../define-route.ts';

export const listApiKeys = defineRoute(
  {
    operationId: 'listApiKeys',
    method: 'get',
    path: '/admin/v1/api-keys',
    tags: ['Administration'],
    summary: 'List the API keys of the account',
    description: 'Keys of every user, newest first; includes expired keys but not revoked ones.',
    services: ['apiKeys'],
    permission: 'administration',
    page: { defaultTop: 100 },
    response: apiKeyRecord,
  },
  async ({ ctx, page, services }) => {
    const { items, totalCount } = await services.apiKeys.listApiKeys(ctx, { page });
    return { items: items.map(presentApiKey), totalCount };
  },
);
