import { z } from 'zod';
import { slug } from '@fairlead/rest-kit/fields';
import { presentUsableAuthProvider, usableAuthProvider } from '@fairlead/rest-records/auth-provider';
import { defineRoute } from '../define-route.ts';

export const listUsableAuthProviders = defineRoute(
  {
    operationId: 'listUsableAuthProviders',
    method: 'get',
    path: '/v1/auth-providers/usable',
    tags: ['Auth'],
    summary: 'List the auth providers that the caller may use',
    description: 'The enabled ones, newest first, without their values.',
    services: ['authProviders'],
    permission: 'authProviders.use',
    query: z.object({ applicationSlug: slug.optional() }),
    page: { defaultTop: 100 },
    response: usableAuthProvider,
  },
  async ({ ctx, query: { applicationSlug }, page, services }) => {
    const { items, totalCount } = await services.authProviders.listUsableAuthProviders(ctx, {
      page,
      ...(applicationSlug !== undefined && { applicationSlug }),
    });
    return { items: items.map(presentUsableAuthProvider), totalCount };
  },
);
