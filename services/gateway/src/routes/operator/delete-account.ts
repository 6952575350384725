import { accountParams } from './account-params.ts';
import { defineRoute } from '../define-route.ts';

/** DELETE /operator/v1/accounts/{accountId} */
export const deleteAccount = defineRoute(
  {
    operationId: 'deleteAccount',
    method: 'delete',
    path: '/operator/v1/accounts/{accountId}',
    tags: ['Operator'],
    summary: 'Erase an account and all of its data',
    description:
      'Answers once nothing is left. From the start on, no credential of the account opens anything. Where it fails half-way ' +
      '(503, 504), the account stays closed and the rest is erased as soon as that is possible; ask again to try at once. What a ' +
      'call that was running at that moment writes after it is erased within minutes.',
    auth: 'operator',
    services: ['accounts'],
    params: accountParams,
    resource: 'account',
    callsApplication: true,
    audit: 'before',
    errors: [],
  },
  async ({ ctx, params, services }) => {
    await services.accounts.erase(ctx, params.accountId);
    return undefined;
  },
);
