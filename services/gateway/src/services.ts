import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRpcClient } from '@fairlead/service-kit/rpc-client';
import type { RpcClient } from '@fairlead/service-kit/rpc-client';
import type { RpcPeer } from '@fairlead/service-kit/rpc-peer';
import type { Secret } from '@fairlead/service-kit/secret';

/** The RPC services that routes call. */
export interface Services {
  readonly applications: RpcClient<typeof ApplicationService>;
  readonly tools: RpcClient<typeof ToolService>;
  readonly connections: RpcClient<typeof ConnectionService>;
  readonly signIns: RpcClient<typeof SignInService>;
  readonly executions: RpcClient<typeof ExecutionService>;
}

/** Clients of the given services. A call ends with its request's deadline, `timeoutMs` at most. */
export function createServices(o: {
  readonly catalog: RpcPeer;
  readonly connections: RpcPeer;
  readonly tools: RpcPeer;
  readonly callerKey: Secret;
  readonly clock: Clock;
  readonly timeoutMs: number;
}): Services {
  const common = { callerKey: o.callerKey, clock: o.clock, defaultTimeoutMs: o.timeoutMs };
  return {
    applications: createRpcClient(ApplicationService, { ...common, peer: o.catalog }),
    tools: createRpcClient(ToolService, { ...common, peer: o.catalog }),
    connections: createRpcClient(ConnectionService, { ...common, peer: o.connections }),
    signIns: createRpcClient(SignInService, { ...common, peer: o.connections }),
    executions: createRpcClient(ExecutionService, { ...common, peer: o.tools }),
  };
}
