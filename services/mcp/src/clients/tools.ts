import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Tools } from '../ports/tools.ts';

/** Maximum workflows per request, so that they fit into a response. */
const WORKFLOWS_AT_ONCE = 20;

/** Client of the tools service's workflows and toolsets. */
export function createToolsClient(o: RpcClientOptions): Tools {
  const workflows = createRpcClient(WorkflowService, o);
  const toolsets = createRpcClient(ToolsetService, o);
  return {
    async findWorkflows(ctx, workflowTokens) {
      const found: string[] = [];
      for (let at = 0; at < workflowTokens.length; at += WORKFLOWS_AT_ONCE) {
        const batch = workflowTokens.slice(at, at + WORKFLOWS_AT_ONCE);
        const { items } = await workflows.findWorkflowTools(ctx, { workflowTokens: batch });
        found.push(...items.map(({ workflowToken }) => workflowToken));
      }
      return found;
    },
    async requireToolset(ctx, toolsetId) {
      await toolsets.getToolset(ctx, { id: toolsetId });
    },
  };
}
