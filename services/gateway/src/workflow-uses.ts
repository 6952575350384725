import type { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';

/** Finds and removes uses of workflows in the records of all domains. */
export interface WorkflowUses {
  /** The account's records that use the workflow, as `toolset:<id>` and `mcpServer:<name>`. */
  list(ctx: RequestContext, workflowToken: string): Promise<readonly string[]>;
  /** Removes a deleted workflow from the records that keep it after its deletion. */
  remove(ctx: RequestContext, workflowToken: string): Promise<void>;
}

/** Uses in all `domains` that have a UseService. Records of `removing` keep a workflow after its deletion, until it is removed. */
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
