import type { MessageInitShape } from '@bufbuild/protobuf';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type {
  ExecuteToolRequestSchema,
  ExecuteToolResponse,
  McpClientSchema,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import { orOutcomeUnknown } from '@fairlead/service-kit/rpc/outcome-unknown';
import type { McpClient } from '../domain/mcp-client.ts';
import type { CallTarget } from '../domain/served-tool.ts';
import type { ClientChannel } from '../ports/client-channel.ts';
import type { CallOutcome, ToolCall, ToolCalls } from '../ports/tool-calls.ts';

/** Executions of the tools service. */
export function createToolCallsClient(o: RpcClientOptions): ToolCalls {
  const executions = createRpcClient(ExecutionService, o);

  async function interactively(
    ctx: RequestContext,
    call: MessageInitShape<typeof ExecuteToolRequestSchema>,
    channel: ClientChannel,
  ): Promise<ExecuteToolResponse> {
    const request = { call, client: toMcpClient(channel.client) };
    let result: ExecuteToolResponse | undefined;
    for await (const { message } of executions.executeToolInteractively(ctx, request)) {
      if (message.case === 'notification') {
        channel.notify(message.value.method, membersOf(message.value.paramsJson));
      } else if (message.case === 'request') {
        const { key, method, paramsJson } = message.value;
        await channel.pass({ key, method, params: paramsJson });
      } else if (message.case === 'result') {
        result = message.value;
      }
    }
    if (result === undefined) throw new ApiError('INTERNAL', 'An internal error occurred.');
    return result;
  }

  return {
    async execute(ctx, call, channel) {
      const request = toExecuteToolRequest(call);
      const isInteractive = channel.isInteractive || channel.client.inputs !== undefined;
      const result = await orOutcomeUnknown(
        isInteractive ? interactively(ctx, request, channel) : executions.executeTool(ctx, request),
      );
      return fromExecuteToolResponse(result);
    },
    async answer(ctx, key, { kind, json }) {
      const answer = { case: kind === 'result' ? 'resultJson' : 'errorJson', value: json } as const;
      await executions.answerClientRequest(ctx, { key, answer });
    },
  };
}

/** The message of a call. */
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

/** The message of a client. */
export function toMcpClient(client: McpClient): MessageInitShape<typeof McpClientSchema> {
  return {
    capabilitiesJson: jsonBytes(client.capabilities),
    logLevel: client.logLevel ?? '',
    wantsProgress: client.progressToken !== undefined,
    takesInputRequired: client.isStateless,
    ...(client.inputs && {
      inputResponsesJson: client.inputs.responses,
      requestState: client.inputs.state ?? '',
    }),
  };
}

/** The outcome that a message holds. */
export function fromExecuteToolResponse(response: ExecuteToolResponse): CallOutcome {
  const { isMcpResult, mcpErrorJson, isSuccess, outputJson, errorMessage } = response;
  if (mcpErrorJson.length > 0) return { kind: 'mcpError', error: mcpErrorJson };
  if (isMcpResult) return { kind: 'mcpResult', result: outputJson };
  return isSuccess
    ? { kind: 'output', output: outputJson }
    : { kind: 'failure', errorMessage: errorMessage ?? 'The call failed.' };
}

/** The members of a notification, which are passed on as they are. */
function membersOf(params: Uint8Array): LazyObject {
  const members = [...(objectSlices(params) ?? [])];
  return Object.fromEntries(members.map(([name, json]) => [name, new LazyJson(json, name)]));
}
