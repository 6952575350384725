import { BudgetService } from '@fairlead/contracts/gateway/v1/budget_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Timers } from '@fairlead/service-kit/timers';
import type { Budgets } from '../ports/budgets.ts';
import { callUntilAnswered, requireUnrefused, TRY_MS } from './gateway-calls.ts';

/** A client of the gateway's budgets. */
export function createBudgetsClient(o: RpcClientOptions & { readonly timers: Timers }): Budgets {
  const budgets = createRpcClient(BudgetService, { ...o, defaultTimeoutMs: TRY_MS });

  const message = 'The call could not be counted against the hourly budget.';

  return {
    async takeCall(ctx) {
      // On errors a call may be counted twice, but never not at all.
      const answer = await callUntilAnswered(() => budgets.takeCall(ctx, {}), ctx, {
        timers: o.timers,
        message,
      });
      const { isAdmitted, renewsInSeconds, callerRefusal } = answer;
      requireUnrefused(callerRefusal);
      if (isAdmitted) return;
      const at = new Date(Math.ceil(o.clock.now().getTime() / 1_000 + renewsInSeconds) * 1_000);
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        `The account’s hourly budget of calls is spent. It renews in ${renewsInSeconds} s (${at.toISOString()}).`,
      );
    },
  };
}
