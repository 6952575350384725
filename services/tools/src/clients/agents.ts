import { AgentService } from '@fairlead/contracts/agents/v1/agent_service_pb';
import { AgentStatus } from '@fairlead/contracts/agents/v1/agent_pb';
import type { CallOptions, ToolOutcome, VendorCall } from '@fairlead/connector-runtime/call';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Agents } from '../ports/agents.ts';

const STATUS_NAMES: Readonly<Record<AgentStatus, string>> = {
  [AgentStatus.UNSPECIFIED]: 'unknown',
  [AgentStatus.WAITING_FOR_CONNECTION]: 'WaitingForConnection',
  [AgentStatus.ONLINE]: 'Online',
  [AgentStatus.OFFLINE]: 'Offline',
};

/** The agents of the agents service. */
export function createAgentsClient(o: RpcClientOptions & { readonly log: Logger }): Agents {
  const agents = createRpcClient(AgentService, o);
  return {
    async execute(_call, { accountId, connectionId, signal, timeoutMs }) {
      if (connectionId === undefined) return failure('A call of an on-prem agent names its connection.');
      const ctx = createRequestContext({
        requestId: uuidv7(o.clock.now()),
        caller: { kind: 'serviceForAccount', service: 'tools', accountId },
        signal,
        log: o.log,
      });
      const { agent } = await agents.getAgent(ctx, { id: connectionId }, { timeoutMs });
      const status = STATUS_NAMES[agent?.status ?? AgentStatus.UNSPECIFIED];
      return failure(
        `The on-prem agent ${agent?.name ?? connectionId} is ${status}. Nothing was executed: start the agent with its token, and call again.`,
      );
    },
  };
}

function failure(errorMessage: string): ToolOutcome {
  return { isSuccess: false, errorMessage, attempts: 0, isUnauthorized: false };
}

/** A runtime whose calls of on-prem applications go to their agents; nothing of them runs here. */
export function withAgents(runtime: ConnectorRuntime, agents: Agents): ConnectorRuntime {
  return {
    ...runtime,
    execute: (call: VendorCall, options: CallOptions) =>
      call.connector.kind === 'OPA' ? agents.execute(call, options) : runtime.execute(call, options),
  };
}
