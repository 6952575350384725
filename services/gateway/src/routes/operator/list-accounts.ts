import { operatedAccountRecord, presentOperatedAccount } from '@fairlead/rest-records/operated-account';
import { defineRoute } from '../define-route.ts';

export const listAccounts = defineRoute(
  {
    operationId: 'listAccounts',
    method: 'get',
    path: '/operator/v1/accounts',
    tags: ['Operator'],
    summary: 'List accounts',
    description: 'Newest first, including accounts that are being erased.',
    auth: 'operator',
    services: ['operator'],
    page: { defaultTop: 100 },
    response: operatedAccountRecord,
  },
  async ({ ctx, page, services }) => {
    const { items, totalCount } = await services.operator.listAccounts(ctx, { page });
    return { items: items.map(presentOperatedAccount), totalCount };
  },
);
