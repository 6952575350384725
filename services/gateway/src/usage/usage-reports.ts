import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type { TriggerService } from '@fairlead/contracts/triggers/v1/trigger_service_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { startOf } from '@fairlead/service-kit/metering/day';
import type { Day } from '@fairlead/service-kit/metering/day';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { addDays, daysOf } from './domain/day.ts';
import type { Period } from './domain/day.ts';
import type { UsageStore } from './ports/usage-store.ts';

/** An account's usage on one UTC day. */
export interface UsageDay {
  readonly day: Day;
  /** Admitted API calls, including those that count against no budget. */
  readonly callCount: number;
  /** Tool executions in the history. */
  readonly executionCount: number;
  /** Captured trigger events. */
  readonly eventCount: number;
}

/** The usage of accounts, by day. */
export interface UsageReports {
  /** Usage of the calling account for every day of a period, newest first; days without usage are included. */
  list(
    ctx: RequestContext,
    query: { readonly period: Period; readonly page: Page },
  ): Promise<CountedPage<UsageDay>>;
}

/** Usage from the gateway's own counts, the history of the tools service and the events of the triggers service. */
export function createUsageReports(deps: {
  readonly store: UsageStore;
  readonly executions: Pick<RpcClient<typeof ExecutionService>, 'countExecutionsByDay'>;
  readonly triggers: Pick<RpcClient<typeof TriggerService>, 'countEventsByDay'>;
  readonly clock: Clock;
}): UsageReports {
  async function countExecutions(ctx: RequestContext, oldest: Day, newest: Day): Promise<Map<Day, number>> {
    const { days } = await deps.executions.countExecutionsByDay(ctx, {
      from: timestampFromDate(startOf(oldest)),
      to: timestampFromDate(startOf(addDays(newest, 1))),
    });
    return new Map(days.map(({ date, executionCount }) => [date, Number(executionCount)]));
  }

  async function countEvents(ctx: RequestContext, oldest: Day, newest: Day): Promise<Map<Day, number>> {
    const { days } = await deps.triggers.countEventsByDay(ctx, { oldest, newest });
    return new Map(days.map(({ date, eventCount }) => [date, Number(eventCount)]));
  }

  return {
    async list(ctx, { period, page }) {
      const all = daysOf(period, deps.clock.now());
      const pageItems = all.slice(page.offset, page.offset + page.top);
      const [newest] = pageItems;
      const oldest = pageItems.at(-1);
      if (newest === undefined || oldest === undefined) return { items: [], totalCount: all.length };
      const [calls, executions, events] = await Promise.all([
        deps.store.countCalls(ctx, accountOf(ctx), { oldest, newest }),
        countExecutions(ctx, oldest, newest),
        countEvents(ctx, oldest, newest),
      ]);
      const items = pageItems.map((day) => ({
        day,
        callCount: calls.get(day) ?? 0,
        executionCount: executions.get(day) ?? 0,
        eventCount: events.get(day) ?? 0,
      }));
      return { items, totalCount: all.length };
    },
  };
}
