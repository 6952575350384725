import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import { keptFrom } from '../domain/execution.ts';
import type { ExecutionFilter, ExecutionList } from '../domain/execution.ts';
import { fitPage } from '../domain/history-record.ts';
import type { History } from '../ports/history.ts';

/** What listExecutions needs. */
export interface ListExecutionsDeps {
  readonly clock: Clock;
  readonly history: Pick<History, 'list'>;
}

/** JSON is up to six times as large in protobuf (an array of digits), and a message may have 16 MiB. */
const MAX_PAGE_BYTES = 2 * 1_024 * 1_024;

/** One page of the account's history, newest first. Long values are cut if the page would otherwise be too large. */
export async function listExecutions(
  deps: ListExecutionsDeps,
  ctx: RequestContext,
  { filter, page }: { readonly filter: ExecutionFilter; readonly page: Page },
): Promise<ExecutionList> {
  const { items, totalCount } = await deps.history.list(ctx, accountOf(ctx), {
    filter: { ...filter, from: keptFrom(filter.from, deps.clock.now()) },
    page,
  });
  return { items: fitPage(items, MAX_PAGE_BYTES), totalCount };
}
