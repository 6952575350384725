import { accountParams } from './account-params.ts';
import { defineRoute } from '../define-route.ts';

export const deleteAccount = defineRoute(
  {
    operationId: 'deleteAccount',
    method: 'delete',
    path: '/operator/v1/accounts/{accountId}',
    tags: ['Operator'],
    summary: 'Erase an account and all of its data',
    description:
      'Responds when all data is erased. The account’s credentials are refused from the start. If the erasure fails half-way ' +
      '(503, 504), the account stays closed and the rest is erased as soon as possible; repeat the call to retry at once. Data that a ' +
      'call in progress writes afterwards is erased within minutes.',
    auth: 'operator',
    services: ['accounts'],
    params: accountParams,
    resource: 'account',
    callsApplication: true,
    audit: 'before',
  },
  async ({ ctx, params, services }) => {
    await services.accounts.erase(ctx, params.accountId);
    return undefined;
  },
);
