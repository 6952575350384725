import { z } from 'zod';
import { slug } from '@fairlead/rest-kit/fields';
import { applicationDetail, presentApplication } from '@fairlead/rest-records/application';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';

export const getApplication = defineRoute(
  {
    operationId: 'getApplication',
    method: 'get',
    path: '/v1/applications/{slug}',
    tags: ['Applications'],
    summary: 'Get an application',
    description: 'Includes its authentication methods: what a connection requires.',
    toolsetKeys: 'any',
    services: ['applications', 'signIns'],
    params: z.object({ slug }),
    resource: 'application',
    response: applicationDetail,
  },
  async ({ ctx, params, services }) => {
    const { clients } = await services.signIns.listSignInClients(ctx, {});
    const { application } = await services.applications.getApplication(ctx, {
      slug: params.slug,
      signInClients: clients,
    });
    return presentApplication(required(application));
  },
);
