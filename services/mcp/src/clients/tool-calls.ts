import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type { ExecuteToolResponse } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import { orOutcomeUnknown } from '@fairlead/service-kit/rpc/outcome-unknown';
import type { CallTarget } from '../domain/server-tool.ts';
import type { ClientChannel } from '../ports/client-channel.ts';
import type { CallOutcome, ToolCall, ToolCalls } from '../ports/tool-calls.ts';
import { isForClient, resultOfCall, toMcpClient } from './call-messages.ts';

/** Executions by the tools service. */
export function createToolCallsClient(o: RpcClientOptions): ToolCalls {
  const executions = createRpcClient(ExecutionService, o);

  function executeInteractively(
    ctx: RequestContext,
    call: ReturnType<typeof toExecuteToolRequest>,
    channel: ClientChannel,
  ): Promise<ExecuteToolResponse> {
    const messages = executions.executeToolInteractively(ctx, { call, client: toMcpClient(channel.client) });
    return resultOfCall<ExecuteToolResponse>(messages, channel);
  }

  return {
    async execute(ctx, call, channel) {
      const request = toExecuteToolRequest(call);
      const executed = isForClient(channel)
        ? executeInteractively(ctx, request, channel)
        : executions.executeTool(ctx, request);
      return fromExecuteToolResponse(await orOutcomeUnknown(executed));
    },
    async answer(ctx, key, { kind, json }) {
      const answer = { case: kind === 'result' ? 'resultJson' : 'errorJson', value: json } as const;
      await executions.answerClientRequest(ctx, { key, answer });
    },
  };
}

/** Encodes a call. */
export function toExecuteToolRequest({
  target,
  fields,
  schemaProfile,
  toolsetId,
  endUserId,
  mcpServerName,
}: ToolCall) {
  return {
    ...targetOf(target),
    fieldsJson: { ...fields },
    schemaProfile,
    ...(toolsetId !== undefined && { toolsetId }),
    ...(endUserId !== undefined && { endUserId }),
    mcpServerName,
    takesMcpResult: true,
  };
}

function targetOf(target: CallTarget) {
  if (target.kind === 'workflow') return { workflowToken: target.workflowToken };
  const { applicationSlug, toolSlug, connectionId } = target;
  return { applicationSlug, toolSlug, ...(connectionId !== undefined && { connectionId }) };
}

/** Decodes an outcome. */
export function fromExecuteToolResponse(response: ExecuteToolResponse): CallOutcome {
  const { isMcpResult, mcpErrorJson, isSuccess, outputJson, errorMessage } = response;
  if (mcpErrorJson.length > 0) return { kind: 'mcpError', error: mcpErrorJson };
  if (isMcpResult) return { kind: 'mcpResult', result: outputJson };
  return isSuccess
    ? { kind: 'output', output: outputJson }
    : { kind: 'failure', errorMessage: errorMessage ?? 'The call failed.' };
}
