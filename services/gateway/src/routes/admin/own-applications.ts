import { ApiError } from '@fairlead/errors/api-error';
import { slug } from '@fairlead/rest-kit/fields';
import { applicationDetail, presentApplication } from '@fairlead/rest-records/application';
import { required } from '@fairlead/rest-records/values';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';

/** Number of connections that a refusal names. */
const MAX_NAMED = 20;
const path = '/admin/v1/applications/{slug}';
const params = z.object({ slug });

export const getOwnApplication = defineRoute(
  {
    operationId: 'getOwnApplication',
    method: 'get',
    path,
    tags: ['Administration'],
    summary: 'Get an application of the account',
    description: 'One that was imported, or that a connection to an MCP server made.',
    services: ['applications', 'signIns'],
    permission: 'administration',
    params,
    resource: 'application',
    response: applicationDetail,
  },
  async ({ ctx, params: named, services }) => {
    const { clients: signInClients } = await services.signIns.listSignInClients(ctx, {});
    const answer = await services.applications.getApplication(ctx, { ...named, signInClients, isOwn: true });
    return presentApplication(required(answer.application));
  },
);

export const deleteOwnApplication = defineRoute(
  {
    operationId: 'deleteOwnApplication',
    method: 'delete',
    path,
    tags: ['Administration'],
    summary: 'Delete an application of the account',
    description: 'CONFLICT while connections of it exist: `candidates` names their ids.',
    services: ['applications', 'connections'],
    permission: 'administration',
    params,
    resource: 'application',
    errors: ['CONFLICT'],
  },
  async ({ ctx, params: named, services }) => {
    await services.applications.getApplication(ctx, { ...named, isOwn: true });
    const { items, totalCount } = await services.connections.listConnections(ctx, {
      page: { offset: 0, top: MAX_NAMED },
      kinds: [],
      applicationSlug: named.slug,
    });
    if (totalCount > 0)
      throw new ApiError(
        'CONFLICT',
        `The application ${named.slug} has ${totalCount} connections. Delete them first.`,
        {
          candidates: items.map(({ id }) => String(id)),
        },
      );
    await services.applications.deleteAccountApplication(ctx, named);
    return undefined;
  },
);
