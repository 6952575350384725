import { operatedAccountRecord, presentOperatedAccount } from '@fairlead/rest-records/operated-account';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { accountParams } from './account-params.ts';

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
  },
  async ({ ctx, params: { accountId }, services }) =>
    presentOperatedAccount(required((await services.operator.findAccount(ctx, { accountId })).account)),
);
