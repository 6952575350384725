import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ToolsetStore } from '../../ports/toolset-store.ts';

export interface RemoveConnectionUsesDeps {
  readonly toolsets: Pick<ToolsetStore, 'removeUses'>;
  readonly clock: Clock;
}

/** Removes connections from every toolset of the account. */
export async function removeConnectionUses(
  { toolsets, clock }: RemoveConnectionUsesDeps,
  ctx: RequestContext,
  connectionIds: readonly number[],
): Promise<void> {
  if (connectionIds.length > 0) await toolsets.removeUses(ctx, accountOf(ctx), connectionIds, clock.now());
}
