import type { ServiceImpl } from '@connectrpc/connect';
import type { BudgetService } from '@fairlead/contracts/gateway/v1/budget_service_pb';
import { notFound } from '@fairlead/errors/api-error';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { FindBudgets } from '../authentication/accounts.ts';
import type { Limits } from './limits.ts';

/** BudgetService of proto/fairlead/gateway/v1 over the limits. */
export function createBudgetService(o: {
  readonly findBudgets: FindBudgets;
  readonly limits: Pick<Limits, 'takeStep'>;
}): ServiceImpl<typeof BudgetService> {
  return {
    async takeCall(_request, h) {
      const accountId = actingAccountOf(requestContext(h));
      const budgets = await o.findBudgets(accountId);
      if (budgets === undefined) throw notFound('account');
      const { isAllowed, renewsInSeconds } = await o.limits.takeStep({ accountId, budgets });
      return { isAdmitted: isAllowed, renewsInSeconds };
    },
  };
}
