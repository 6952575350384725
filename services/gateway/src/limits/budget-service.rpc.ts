import type { ServiceImpl } from '@connectrpc/connect';
import type { BudgetService } from '@fairlead/contracts/gateway/v1/budget_service_pb';
import { CallerRefusal } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import { notFound } from '@fairlead/errors/api-error';
import type { ClientCaller } from '@fairlead/service-kit/context/caller';
import { actingAccountOf, clientOf } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { FindBudgets } from '../authentication/accounts.ts';
import type { Limits } from './limits.ts';

/** BudgetService of proto/fairlead/gateway/v1 over the limits. */
export function createBudgetService(o: {
  readonly checkCaller: (caller: ClientCaller) => Promise<CallerRefusal>;
  readonly findBudgets: FindBudgets;
  readonly limits: Pick<Limits, 'takeStep'>;
}): ServiceImpl<typeof BudgetService> {
  return {
    async takeCall(_request, h) {
      const ctx = requestContext(h);
      const accountId = actingAccountOf(ctx);
      if (ctx.caller.kind !== 'serviceForAccount') {
        const callerRefusal = await o.checkCaller(clientOf(ctx));
        if (callerRefusal !== CallerRefusal.UNSPECIFIED) return { isAdmitted: false, callerRefusal };
      }
      const budgets = await o.findBudgets(accountId);
      if (budgets === undefined) throw notFound('account');
      const { isAllowed, renewsInSeconds } = await o.limits.takeStep({ accountId, budgets });
      return { isAdmitted: isAllowed, renewsInSeconds };
    },
  };
}
