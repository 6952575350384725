import { operatedAccountRecord, presentOperatedAccount } from '../../present/operated-account.ts';
import { required } from '../../present/values.ts';
import { defineRoute } from '../define-route.ts';
import { accountParams } from './account-params.ts';

/** GET /operator/v1/accounts/{accountId} */
export const getOperatedAccount = defineRoute(
  {
    operationId: 'getOperatedAccount',
    method: 'get',
    path: '/operator/v1/accounts/{accountId}',
    tags: ['Operator'],
    summary: 'Get an account',
    auth: 'operator',
    services: ['operator'],
    params: accountParams,
    resource: 'account',
    response: operatedAccountRecord,
    errors: [],
  },
  async ({ ctx, params: { accountId }, services }) =>
    presentOperatedAccount(required((await services.operator.findAccount(ctx, { accountId })).account)),
);
