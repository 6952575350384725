import type { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';

/** The records of all domains that use workflows. */
export interface WorkflowUses {
  /** The records that use a workflow of the calling account, as `toolset:<id>` and `mcpServer:<name>`. */
  list(ctx: RequestContext, workflowToken: string): Promise<readonly string[]>;
  /** Removes a workflow that was deleted from every record that did not lose it with the deletion. */
  remove(ctx: RequestContext, workflowToken: string): Promise<void>;
}

/** The uses in the domains that have a UseService; the records of `removing` do not lose a workflow with its deletion. */
export function createWorkflowUses(o: {
  readonly domains: readonly RpcClient<typeof UseService>[];
  readonly removing: readonly RpcClient<typeof UseService>[];
}): WorkflowUses {
  return {
    async list(ctx, workflowToken) {
      const found = await Promise.all(o.domains.map((domain) => domain.listUses(ctx, { workflowToken })));
      return found.flatMap(({ uses }) => uses);
    },
    async remove(ctx, workflowToken) {
      await Promise.all(
        o.removing.map((domain) => domain.removeUses(ctx, { workflowTokens: [workflowToken] })),
      );
    },
  };
}
