import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import { keptSince } from '../domain/execution.ts';
import type { Execution, ExecutionFilter } from '../domain/execution.ts';
import { fitPage } from '../domain/history-record.ts';

/** What listExecutions needs. */
export interface ListExecutionsDeps {
  readonly clock: Clock;
  readonly history: {
    /** Rows created at `since` or later, newest first, with the number of all that match. */
    list(
      ctx: RequestContext,
      accountId: string,
      query: { readonly filter: ExecutionFilter; readonly page: Page; readonly since: Date },
    ): Promise<{ readonly items: readonly Execution[]; readonly totalCount: number }>;
  };
}

/** One page of the account's history. */
export interface ExecutionList {
  readonly items: readonly Execution[];
  readonly totalCount: number;
}

/** As protobuf the JSON is up to six times as large (an array of digits), and a message may have 16 MiB. */
const MAX_PAGE_BYTES = 2 * 1_024 * 1_024;

/** One page of the account's history, newest first. Long values are cut where the page would be too large otherwise. */
export async function listExecutions(
  deps: ListExecutionsDeps,
  ctx: RequestContext,
  query: { readonly filter: ExecutionFilter; readonly page: Page },
): Promise<ExecutionList> {
  const { items, totalCount } = await deps.history.list(ctx, accountOf(ctx), {
    ...query,
    since: keptSince(deps.clock.now()),
  });
  return { items: fitPage(items, MAX_PAGE_BYTES), totalCount };
}
