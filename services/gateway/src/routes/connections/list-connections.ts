import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { z } from 'zod';
import { slug } from '@fairlead/rest-kit/fields';
import { connectionRecord, presentConnection } from '@fairlead/rest-records/connection';
import { CONNECTION_STATUSES, namesOf } from '@fairlead/rest-records/enums';
import { endUserId } from '../connect-sessions/inputs.ts';
import { defineRoute } from '../define-route.ts';
import { kindFilter } from '../kind-filter.ts';
import { wholePage } from '../whole-page.ts';

/** The kinds of the list; only administrators see MCP client connections. */
const LISTED = [ApplicationKind.REGULAR, ApplicationKind.KEY];

export const listConnections = defineRoute(
  {
    operationId: 'listConnections',
    method: 'get',
    path: '/v1/connections',
    tags: ['Connections'],
    summary: 'List connections',
    description:
      'Newest first. Connections of kind MCPClient are left out: kind=MCPClient returns an empty page.',
    services: ['connections'],
    permission: 'connections.read',
    query: z.object({
      kind: kindFilter.optional(),
      applicationSlug: slug.optional(),
      status: z
        .enum(namesOf(CONNECTION_STATUSES))
        .transform((status) => CONNECTION_STATUSES[status])
        .optional(),
      endUserId: endUserId.optional().describe('Only connections of this customer of your product.'),
    }),
    page: { defaultTop: 25 },
    response: connectionRecord,
  },
  async ({ query, services, ...call }) => {
    const kinds = query.kind === undefined ? LISTED : LISTED.filter((kind) => kind === query.kind);
    // An empty list of kinds would mean every kind.
    if (kinds.length === 0) return { items: [], totalCount: 0 };
    const { applicationSlug, status, endUserId } = query;
    const of = {
      kinds,
      ...(applicationSlug !== undefined && { applicationSlug }),
      ...(status !== undefined && { status }),
      ...(endUserId !== undefined && { endUserId }),
    };
    return await wholePage(
      call,
      (ctx, page) => services.connections.listConnections(ctx, { page, ...of }),
      presentConnection,
    );
  },
);
