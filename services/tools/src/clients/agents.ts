import { encodeCall } from '@fairlead/agent-channel/call';
import { decodeOutcome } from '@fairlead/agent-channel/outcome';
import { TaskService } from '@fairlead/contracts/agents/v1/task_service_pb';
import type { CallOptions, ToolOutcome, VendorCall } from '@fairlead/connector-runtime/call';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { ApiError } from '@fairlead/errors/api-error';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { isUnanswered } from '@fairlead/service-kit/rpc/errors';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Agents } from '../ports/agents.ts';

/** Time for the end of a call to travel from its agent to this service; the same again if it is late. */
const RETURN_MS = 300;
const MIN_TIMEOUT_MS = 100;

/** Client of the agents service. */
export function createAgentsClient(o: RpcClientOptions & { readonly log: Logger }): Agents {
  const tasks = createRpcClient(TaskService, o);
  return {
    async execute(call, { accountId, connectionId, origin, signal, timeoutMs }) {
      if (connectionId === undefined) return failure('A call of an on-prem agent names its connection.');
      const hasEffects = call.tool.retryClass !== 'readOnly';
      const ctx = createRequestContext({
        requestId: origin?.requestId ?? uuidv7(o.clock.now()),
        caller: { kind: 'serviceForAccount', service: 'tools', accountId },
        canaries: origin?.canaries,
        signal,
        log: o.log,
      });
      const request = {
        connectionId,
        callJson: encodeCall(call),
        hasEffects,
        timeoutMs: Math.max(MIN_TIMEOUT_MS, Math.floor(timeoutMs) - RETURN_MS),
      };
      try {
        const { outcomeJson } = await tasks.runCall(ctx, request, { timeoutMs: timeoutMs + RETURN_MS });
        return readOutcome(outcomeJson);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return failure(awayText(error, hasEffects));
      }
    },
  };
}

function readOutcome(json: Uint8Array): ToolOutcome {
  try {
    return decodeOutcome(json);
  } catch {
    return failure('The on-prem agent sent an answer that cannot be read. The call may have been executed.');
  }
}

/** Error text for a call that the agents service did not answer. If the request may have reached that service, the agent may have run it. */
function awayText(error: ApiError, hasEffects: boolean): string {
  if (error.code !== 'UNAVAILABLE' && error.code !== 'TIMEOUT') return error.message;
  const isSent = error.code === 'TIMEOUT' || isUnanswered(error);
  const consequence = isSent && hasEffects ? 'The outcome is not known.' : 'Nothing was changed; try again.';
  return `The part of Fairlead that reaches on-prem agents is not available at the moment. ${consequence}`;
}

function failure(errorMessage: string): ToolOutcome {
  return { isSuccess: false, errorMessage, attempts: 0, isUnauthorized: false };
}

/** A runtime that sends calls of on-prem applications to their agents; nothing of these calls runs here. */
export function withAgents(runtime: ConnectorRuntime, agents: Agents): ConnectorRuntime {
  return {
    ...runtime,
    execute: (call: VendorCall, options: CallOptions) =>
      call.connector.kind === 'OPA' ? agents.execute(call, options) : runtime.execute(call, options),
  };
}
