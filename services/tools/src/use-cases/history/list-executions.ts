import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf, confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import { keptFrom, keptSince } from '../../domain/execution.ts';
import type { ExecutionFilter, ExecutionList } from '../../domain/execution.ts';
import type { History } from '../../ports/history.ts';

export interface ListExecutionsDeps {
  readonly clock: Clock;
  readonly history: Pick<History, 'list' | 'has'>;
}

export interface ListExecutionsRequest {
  readonly filter: ExecutionFilter;
  readonly page: Page;
  /** Lists and counts only rows older than this row; the page's offset counts from it. */
  readonly after?: number | undefined;
}

/**
 * One page of the account's history, newest first. Empty if the row `after` is unknown, another account's, or past its retention. A
 * restricted caller only sees rows of its key.
 */
export async function listExecutions(
  deps: ListExecutionsDeps,
  ctx: RequestContext,
  { filter, page, after }: ListExecutionsRequest,
): Promise<ExecutionList> {
  const now = deps.clock.now();
  const accountId = accountOf(ctx);
  const { keyId } = confinementOf(ctx) ?? {};
  if (after !== undefined) {
    const row = { historyId: after, since: keptSince(now), keyId };
    if (!(await deps.history.has(ctx, accountId, row))) return { items: [], totalCount: 0 };
  }
  return await deps.history.list(ctx, accountId, {
    filter: { ...filter, keyId, from: keptFrom(filter.from, now) },
    page,
    after,
  });
}
