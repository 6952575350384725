import { z } from 'zod';
import { defineRoute } from '../define-route.ts';

const params = z.object({ id: z.string().regex(/^key_[0-9A-Za-z]{1,64}$/) });

export const revokeApiKey = defineRoute(
  {
    operationId: 'revokeApiKey',
    method: 'delete',
    path: '/admin/v1/api-keys/{id}',
    tags: ['Administration'],
    summary: 'Revoke an API key',
    description:
      'The key is refused permanently within two seconds. Only an owner may revoke an owner’s key.',
    services: ['apiKeys'],
    permission: 'administration',
    params,
    resource: 'API key',
  },
  async ({ ctx, params: { id }, services }) => {
    await services.apiKeys.revokeApiKey(ctx, { id });
    return undefined;
  },
);
