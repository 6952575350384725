import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf, confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { keptSince } from '../../domain/execution.ts';
import type { Execution } from '../../domain/execution.ts';
import type { History } from '../../ports/history.ts';

export interface GetExecutionDeps {
  readonly clock: Clock;
  readonly history: Pick<History, 'find'>;
}

/**
 * One row of the account's history; NOT_FOUND if it is unknown, another account's, not made with the caller's restricted key, or past its
 * retention.
 */
export async function getExecution(
  deps: GetExecutionDeps,
  ctx: RequestContext,
  historyId: number,
): Promise<Execution> {
  const since = keptSince(deps.clock.now());
  const { keyId } = confinementOf(ctx) ?? {};
  const found = await deps.history.find(ctx, accountOf(ctx), { historyId, since, keyId });
  if (!found) throw notFound('execution');
  return found;
}
