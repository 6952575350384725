import type { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';

/** Finds and removes uses of connections in the records of all domains. */
export interface ConnectionUses {
  /** The account's records that use the connection, as `toolset:<id>`. */
  list(ctx: RequestContext, connectionId: number): Promise<readonly string[]>;
  /**
   * Removes connections that are about to be deleted from records with registrations at the connections' applications; the registrations
   * end first.
   */
  release(ctx: RequestContext, connectionIds: readonly number[]): Promise<void>;
  /** Removes deleted connections from every record of the calling account that uses them. */
  remove(ctx: RequestContext, connectionIds: readonly number[]): Promise<void>;
}

/**
 * The uses of connections in all `domains`. Records of the domains in `registering` also have registrations at applications, so `release`
 * calls only these domains.
 */
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
