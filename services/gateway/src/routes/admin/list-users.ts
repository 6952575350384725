import { presentUser, userRecord } from '../../present/user.ts';
import { defineRoute } from '../define-route.ts';

/** GET /admin/v1/users */
export const listUsers = defineRoute(
  {
    operationId: 'listUsers',
    method: 'get',
    path: '/admin/v1/users',
    tags: ['Administration'],
    summary: 'List the users of the account',
    description: 'Newest first, including inactive users.',
    auth: 'credential',
    services: ['identity'],
    permission: 'administration',
    page: { defaultTop: 100 },
    response: userRecord,
    errors: [],
  },
  async ({ ctx, principal, page, services }) => {
    const { items, totalCount } = await services.identity.listUsers(ctx, principal.accountId, page);
    return { items: items.map(presentUser), totalCount };
  },
);
