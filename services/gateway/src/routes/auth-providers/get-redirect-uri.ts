import { z } from 'zod';
import { slug } from '@fairlead/rest-kit/fields';
import { defineRoute } from '../define-route.ts';

export const getRedirectUri = defineRoute(
  {
    operationId: 'getRedirectUri',
    method: 'get',
    path: '/v1/auth-providers/redirect-uri',
    tags: ['Auth'],
    summary: 'Get the callback address to register at a vendor',
    services: ['authProviders'],
    permission: 'authProviders.manage',
    query: z.object({ applicationSlug: slug }),
    resource: 'application',
    response: z.strictObject({ redirectUri: z.string() }).meta({ id: 'RedirectUri' }),
    errors: ['NOT_FOUND'],
  },
  async ({ ctx, query: { applicationSlug }, services }) => {
    const { redirectUri } = await services.authProviders.getRedirectUri(ctx, { applicationSlug });
    return { redirectUri };
  },
);
