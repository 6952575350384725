import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import { orOutcomeUnknown } from '@fairlead/service-kit/rpc/outcome-unknown';
import type { CallTarget } from '../domain/served-tool.ts';
import type { ToolCalls } from '../ports/tool-calls.ts';

/** Executions of the tools service. */
export function createToolCallsClient(o: RpcClientOptions): ToolCalls {
  const executions = createRpcClient(ExecutionService, o);
  return {
    async execute(ctx, { target, fields, schemaProfile, toolsetId, endUserId, mcpServerName }) {
      const { isSuccess, outputJson, errorMessage, isMcpResult } = await orOutcomeUnknown(
        executions.executeTool(ctx, {
          ...targetOf(target),
          fieldsJson: { ...fields },
          schemaProfile,
          ...(toolsetId !== undefined && { toolsetId }),
          ...(endUserId !== undefined && { endUserId }),
          mcpServerName,
          takesMcpResult: true,
        }),
      );
      if (isMcpResult) return { kind: 'mcpResult', result: outputJson };
      return isSuccess
        ? { kind: 'output', output: outputJson }
        : { kind: 'failure', errorMessage: errorMessage ?? 'The call failed.' };
    },
  };
}

function targetOf(target: CallTarget) {
  if (target.kind === 'workflow') return { workflowToken: target.workflowToken };
  const { applicationSlug, toolSlug, connectionId } = target;
  return { applicationSlug, toolSlug, ...(connectionId !== undefined && { connectionId }) };
}
