import { z } from 'zod';
import { slug } from '../../http/fields.ts';
import { applicationDetail, presentApplication } from '../../present/application.ts';
import { required } from '../../present/values.ts';
import { defineRoute } from '../define-route.ts';

/** GET /v1/applications/{slug} */
export const getApplication = defineRoute(
  {
    operationId: 'getApplication',
    method: 'get',
    path: '/v1/applications/{slug}',
    tags: ['Applications'],
    summary: 'Get an application',
    description: 'Includes its authentication methods: what a connection requires.',
    auth: 'credential',
    services: ['applications', 'signIns'],
    params: z.object({ slug }),
    resource: 'application',
    response: applicationDetail,
    errors: [],
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
