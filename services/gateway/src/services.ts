import { AgentService, ReleaseService } from '@fairlead/contracts/agents/v1/agent_service_pb';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { TriggerTypeService } from '@fairlead/contracts/catalog/v1/trigger_type_service_pb';
import { AccountService } from '@fairlead/contracts/identity/v1/account_service_pb';
import { ApiKeyService } from '@fairlead/contracts/identity/v1/api_key_service_pb';
import { OAuthClientService } from '@fairlead/contracts/identity/v1/oauth_client_service_pb';
import { OperatorService } from '@fairlead/contracts/identity/v1/operator_service_pb';
import { UserService } from '@fairlead/contracts/identity/v1/user_service_pb';
import { AuthProviderService } from '@fairlead/contracts/connections/v1/auth_provider_service_pb';
import { ConnectSessionService } from '@fairlead/contracts/connections/v1/connect_session_service_pb';
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import { ImportService } from '@fairlead/contracts/tools/v1/import_service_pb';
import { FileService } from '@fairlead/contracts/tools/v1/file_service_pb';
import { ApprovalService } from '@fairlead/contracts/tools/v1/approval_service_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { DestinationService } from '@fairlead/contracts/delivery/v1/destination_service_pb';
import { HookService } from '@fairlead/contracts/triggers/v1/hook_service_pb';
import { TriggerService } from '@fairlead/contracts/triggers/v1/trigger_service_pb';
import { EventService } from '@fairlead/contracts/delivery/v1/event_service_pb';
import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { createKeptPages } from '@fairlead/rest-kit/kept-pages';
import type { Resources } from '@fairlead/access/resources';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { ServiceName } from '@fairlead/service-list/services';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { createConnectionUses } from './connection-uses.ts';
import { createWorkflowUses } from './workflow-uses.ts';
import { createExecutionClient } from './execution-client.ts';
import type { AuditTrail } from '@fairlead/audit-log/audit-trail';
import type { CanaryOperations } from '@fairlead/service-kit/canary/canary-operations';
import type { Limits } from './limits/limits.ts';
import type { AccountOperations } from './operator/account-operations.ts';
import type { UsageReports } from './usage/usage-reports.ts';

/**
 * Clients of the given services. A call ends at its request's deadline, and at the latest after `timeoutMs`; after `dataTimeoutMs` if it
 * only touches our own data; after `runTimeoutMs` if it may run a workflow.
 */
export function createRemoteServices(o: {
  readonly peers: Readonly<Record<ServiceName, RpcPeer>>;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly runTimeoutMs: number;
  readonly dataTimeoutMs: number;
}) {
  const { peers } = o;
  const common = { callerKeys: o.callerKeys, clock: o.clock, defaultTimeoutMs: o.timeoutMs };
  const identity = { ...common, peer: peers.identity, defaultTimeoutMs: o.dataTimeoutMs };
  const delivery = { ...common, peer: peers.delivery, defaultTimeoutMs: o.dataTimeoutMs };
  const usesIn = (name: 'tools' | 'triggers' | 'mcp') =>
    createRpcClient(UseService, { ...common, peer: peers[name] });
  const [usesInTools, usesInTriggers, usesInMcp] = [usesIn('tools'), usesIn('triggers'), usesIn('mcp')];
  const tools = createRpcClient(ToolService, { ...common, peer: peers.catalog });
  return {
    /** Identity's RPCs for the caller's own account. */
    account: createRpcClient(AccountService, identity),
    users: createRpcClient(UserService, identity),
    apiKeys: createRpcClient(ApiKeyService, identity),
    oauthClients: createRpcClient(OAuthClientService, identity),
    /** Identity's RPCs for the operator: accounts and signing keys. */
    operator: createRpcClient(OperatorService, identity),
    applications: createRpcClient(ApplicationService, { ...common, peer: peers.catalog }),
    tools,
    /** Pages of tools as the catalog wrote them. */
    toolPages: createKeptPages(tools.listToolRecords),
    triggerTypes: createRpcClient(TriggerTypeService, { ...common, peer: peers.catalog }),
    connections: createRpcClient(ConnectionService, { ...common, peer: peers.connections }),
    signIns: createRpcClient(SignInService, { ...common, peer: peers.connections }),
    authProviders: createRpcClient(AuthProviderService, { ...common, peer: peers.connections }),
    connectSessions: createRpcClient(ConnectSessionService, { ...common, peer: peers.connections }),
    executions: createExecutionClient(
      createRpcClient(ExecutionService, { ...common, peer: peers.tools, defaultTimeoutMs: o.runTimeoutMs }),
    ),
    toolsets: createRpcClient(ToolsetService, { ...common, peer: peers.tools }),
    approvals: createRpcClient(ApprovalService, { ...common, peer: peers.tools }),
    /** Uses of connections in every domain; requested before a connection is deleted. */
    connectionUses: createConnectionUses({
      domains: [usesInTools, usesInTriggers, usesInMcp],
      registering: [usesInTriggers],
    }),
    /** Uses of workflows in every domain; requested before a workflow is deleted. */
    workflowUses: createWorkflowUses({ domains: [usesInTools, usesInMcp], removing: [usesInMcp] }),
    imports: createRpcClient(ImportService, { ...common, peer: peers.tools }),
    files: createRpcClient(FileService, { ...common, peer: peers.tools }),
    workflows: createRpcClient(WorkflowService, { ...common, peer: peers.tools }),
    agents: createRpcClient(AgentService, { ...common, peer: peers.agents }),
    agentReleases: createRpcClient(ReleaseService, { ...common, peer: peers.agents }),
    mcpServers: createRpcClient(McpServerService, { ...common, peer: peers.mcp }),
    triggers: createRpcClient(TriggerService, { ...common, peer: peers.triggers }),
    destinations: createRpcClient(DestinationService, delivery),
    events: createRpcClient(EventService, delivery),
    /** For MCP clients, not for routes. */
    mcpEndpoint: createRpcClient(EndpointService, {
      ...common,
      peer: peers.mcp,
      defaultTimeoutMs: o.runTimeoutMs,
    }),
    /** For inbound calls, not for routes. */
    hooks: createRpcClient(HookService, {
      ...common,
      peer: peers.triggers,
      defaultTimeoutMs: o.dataTimeoutMs,
    }),
  };
}

/** The RPC services that routes call. */
export type RemoteServices = ReturnType<typeof createRemoteServices>;

/** The gateway's own modules that routes call. */
export interface OwnServices {
  readonly auditTrail: AuditTrail;
  readonly usage: UsageReports;
  /** The budget of trigger tests: the route takes from it once the test is certain to be sent. */
  readonly limits: Pick<Limits, 'takeTriggerTest'>;
  /** Addresses that responses contain. */
  readonly resources: Pick<Resources, 'mcp'>;
  /** Operations on all data of accounts, for the operator. */
  readonly accounts: AccountOperations;
  /** The installation's canaries. */
  readonly canaries: CanaryOperations;
}

/** Services and modules that routes call. */
export interface Services extends RemoteServices, OwnServices {}
