import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Clock } from '@fairlead/service-kit/clock';
import { keptSince } from '../domain/execution.ts';

/** How many executions a UTC day has. */
export interface ExecutionDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly executionCount: number;
}

/** What countExecutionsByDay needs. */
export interface CountExecutionsByDayDeps {
  readonly clock: Clock;
  readonly history: {
    /** The days that have rows created from `from` on and before `to`. */
    countByDay(
      ctx: RequestContext,
      accountId: string,
      period: { readonly from: Date; readonly to: Date },
    ): Promise<readonly ExecutionDay[]>;
  };
}

/** The days of a period on which the account executed tools, as far back as the history is kept. */
export async function countExecutionsByDay(
  deps: CountExecutionsByDayDeps,
  ctx: RequestContext,
  { from, to }: { readonly from: Date | undefined; readonly to: Date | undefined },
): Promise<readonly ExecutionDay[]> {
  const now = deps.clock.now();
  const since = keptSince(now);
  return await deps.history.countByDay(ctx, accountOf(ctx), {
    from: from !== undefined && from > since ? from : since,
    // What is inserted from now on is not counted in part.
    to: to ?? now,
  });
}
