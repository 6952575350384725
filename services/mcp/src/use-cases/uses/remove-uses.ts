import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ChangeServers } from '../../ports/server-changes.ts';
import type { ServerMembers, ServerStore } from '../../ports/server-store.ts';

export interface RemoveUsesDeps {
  readonly servers: Pick<ServerStore, 'removeUses'>;
  readonly changeServers: ChangeServers;
  readonly clock: Clock;
}

/** Removes connections and workflows from every server of the account. */
export async function removeUses(
  { servers, changeServers, clock }: RemoveUsesDeps,
  ctx: RequestContext,
  members: ServerMembers,
): Promise<void> {
  if (members.connectionIds.length + members.workflowTokens.length === 0) return;
  const accountId = accountOf(ctx);
  await changeServers({ accountId }, () => servers.removeUses(ctx, accountId, members, clock.now()));
}
