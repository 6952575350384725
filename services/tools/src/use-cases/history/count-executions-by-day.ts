import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { keptFrom } from '../../domain/execution.ts';
import type { ExecutionDay } from '../../domain/execution.ts';
import type { History } from '../../ports/history.ts';

export interface CountExecutionsByDayDeps {
  readonly clock: Clock;
  readonly history: Pick<History, 'countByDay'>;
}

/** Days with executions of the account within a period, as far back as the history goes. */
export async function countExecutionsByDay(
  deps: CountExecutionsByDayDeps,
  ctx: RequestContext,
  { from, to }: { readonly from: Date | undefined; readonly to: Date | undefined },
): Promise<readonly ExecutionDay[]> {
  const now = deps.clock.now();
  return await deps.history.countByDay(ctx, accountOf(ctx), {
    from: keptFrom(from, now),
    // Truncated, so that a day is not counted partially.
    to: to ?? now,
  });
}
