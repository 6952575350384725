import type { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';

/** The records of all domains that use connections. */
export interface ConnectionUses {
  /** What uses a connection of the calling account, as `toolset:<id>`. */
  list(ctx: RequestContext, connectionId: number): Promise<readonly string[]>;
  /** Removes connections from every record of the calling account that uses them. */
  remove(ctx: RequestContext, connectionIds: readonly number[]): Promise<void>;
}

/** The uses in the domains that have a UseService. */
export function createConnectionUses(domains: readonly RpcClient<typeof UseService>[]): ConnectionUses {
  return {
    async list(ctx, connectionId) {
      const found = await Promise.all(domains.map((domain) => domain.listUses(ctx, { connectionId })));
      return found.flatMap(({ uses }) => uses);
    },
    async remove(ctx, connectionIds) {
      if (connectionIds.length === 0) return;
      await Promise.all(
        domains.map((domain) => domain.removeUses(ctx, { connectionIds: [...connectionIds] })),
      );
    },
  };
}
