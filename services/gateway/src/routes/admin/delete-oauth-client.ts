import { z } from 'zod';
import { defineRoute } from '../define-route.ts';

const params = z.object({ clientId: z.string().regex(/^client_[0-9A-Za-z]{1,64}$/) });

export const deleteOAuthClient = defineRoute(
  {
    operationId: 'deleteOAuthClient',
    method: 'delete',
    path: '/admin/v1/oauth-clients/{clientId}',
    tags: ['Administration'],
    summary: 'Delete an OAuth client',
    description:
      'All its tokens are refused within two seconds. Only an owner may delete a client that acts as an owner.',
    services: ['oauthClients'],
    permission: 'administration',
    params,
    resource: 'OAuth client',
  },
  async ({ ctx, params: { clientId: id }, services }) => {
    await services.oauthClients.deleteOAuthClient(ctx, { id });
    return undefined;
  },
);
