import { presentUser, userRecord } from '@fairlead/rest-records/user';
import { defineRoute } from '../define-route.ts';

export const listUsers = defineRoute(
  {
    operationId: 'listUsers',
    method: 'get',
    path: '/admin/v1/users',
    tags: ['Administration'],
    summary: 'List the users of the account',
    description: 'Newest first, including inactive users.',
    services: ['users'],
    permission: 'administration',
    page: { defaultTop: 100 },
    response: userRecord,
  },
  async ({ ctx, page, services }) => {
    const { items, totalCount } = await services.users.listUsers(ctx, { page });
    return { items: items.map(presentUser), totalCount };
  },
);
