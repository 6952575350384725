import { BudgetService } from '@fairlead/contracts/gateway/v1/budget_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { Timers } from '@fairlead/service-kit/timers';
import type { Budgets } from '../ports/budgets.ts';

/** Time of one try: the gateway answers within milliseconds, or after its database was found again. */
const TRY_MS = 6_000;
/** A gateway that is started again is back within a few seconds. */
const TRIES = 6;
const PAUSE_MS = 1_000;
const PASSING = ['UNAVAILABLE', 'TIMEOUT'];

/** A client of the gateway's budgets. */
export function createBudgetsClient(o: {
  readonly peer: RpcPeer;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
  readonly timers: Timers;
}): Budgets {
  const budgets = createRpcClient(BudgetService, { ...o, defaultTimeoutMs: TRY_MS });

  /** A call may be counted twice, never not at all. */
  async function take(ctx: RequestContext) {
    for (let tried = 1; ; tried += 1) {
      try {
        return await budgets.takeCall(ctx, {});
      } catch (error) {
        const isPassing = error instanceof ApiError && PASSING.includes(error.code);
        if (!isPassing || ctx.signal.aborted) throw error;
        if (tried === TRIES)
          throw new ApiError('UNAVAILABLE', 'The call could not be counted against the hourly budget.');
        await new Promise<void>((resolve) => {
          o.timers.after(PAUSE_MS, resolve);
        });
      }
    }
  }

  return {
    async takeCall(ctx) {
      const { isAdmitted, renewsInSeconds } = await take(ctx);
      if (isAdmitted) return;
      const at = new Date(Math.ceil(o.clock.now().getTime() / 1_000 + renewsInSeconds) * 1_000);
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        `The account’s hourly budget of calls is spent. It renews in ${renewsInSeconds} s (${at.toISOString()}).`,
      );
    },
  };
}
