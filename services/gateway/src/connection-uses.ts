import type { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';

/** The records of all domains that use connections. */
export interface ConnectionUses {
  /** The records that use a connection of the calling account, as `toolset:<id>`. */
  list(ctx: RequestContext, connectionId: number): Promise<readonly string[]>;
  /**
   * Removes connections that are about to be deleted from the records of the calling account that have done something at their applications,
   * which ends that first.
   */
  release(ctx: RequestContext, connectionIds: readonly number[]): Promise<void>;
  /** Removes connections that were deleted from every record of the calling account that uses them. */
  remove(ctx: RequestContext, connectionIds: readonly number[]): Promise<void>;
}

/** The uses in the domains that have a UseService; those of `registering` have done something at applications, too. */
export function createConnectionUses(o: {
  readonly domains: readonly RpcClient<typeof UseService>[];
  readonly registering: readonly RpcClient<typeof UseService>[];
}): ConnectionUses {
  const removeIn =
    (domains: readonly RpcClient<typeof UseService>[]): ConnectionUses['remove'] =>
    async (ctx, connectionIds) => {
      if (connectionIds.length === 0) return;
      await Promise.all(
        domains.map((domain) => domain.removeUses(ctx, { connectionIds: [...connectionIds] })),
      );
    };
  return {
    async list(ctx, connectionId) {
      const found = await Promise.all(o.domains.map((domain) => domain.listUses(ctx, { connectionId })));
      return found.flatMap(({ uses }) => uses);
    },
    release: removeIn(o.registering),
    remove: removeIn(o.domains),
  };
}
