import { oauthClientRecord, presentOAuthClient } from '@fairlead/rest-records/oauth-client';
import { defineRoute } from '../define-route.ts';

export const listOAuthClients = defineRoute(
  {
    operationId: 'listOAuthClients',
    method: 'get',
    path: '/admin/v1/oauth-clients',
    tags: ['Administration'],
    summary: 'List the OAuth clients of the account',
    description: 'Newest first. Clients that registered themselves belong to no account and are not listed.',
    services: ['oauthClients'],
    permission: 'administration',
    page: { defaultTop: 100 },
    response: oauthClientRecord,
  },
  async ({ ctx, page, services }) => {
    const { items, totalCount } = await services.oauthClients.listOAuthClients(ctx, { page });
    return { items: items.map(presentOAuthClient), totalCount };
  },
);
