import { accountRecord, presentAccount } from '@fairlead/rest-records/account';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';

export const getAccount = defineRoute(
  {
    operationId: 'getAccount',
    method: 'get',
    path: '/admin/v1/account',
    tags: ['Administration'],
    summary: 'Get the account and its settings',
    description: 'Consumes no budget. An account has 10 calls a second of this path.',
    services: ['account'],
    permission: 'administration',
    budget: 'exempt',
    response: accountRecord,
  },
  async ({ ctx, services }) => presentAccount(required((await services.account.getAccount(ctx, {})).account)),
);
