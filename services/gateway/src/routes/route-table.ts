import type { Route } from '@fairlead/rest-kit/route';
import type { Services } from '../services.ts';
import { createApiKey } from './admin/create-api-key.ts';
import { createOAuthClient } from './admin/create-oauth-client.ts';
import { createUser } from './admin/create-user.ts';
import { deleteOAuthClient } from './admin/delete-oauth-client.ts';
import { getAccount } from './admin/get-account.ts';
import { getUsage } from './admin/get-usage.ts';
import { importApplication } from './admin/import-application.ts';
import { importConnection } from './admin/import-connection.ts';
import { listAllConnections } from './admin/list-all-connections.ts';
import { listApiKeys } from './admin/list-api-keys.ts';
import { listAuditEntries } from './admin/list-audit-entries.ts';
import { listOAuthClients } from './admin/list-oauth-clients.ts';
import { listUsers } from './admin/list-users.ts';
import { deleteOwnApplication, getOwnApplication } from './admin/own-applications.ts';
import { revokeApiKey } from './admin/revoke-api-key.ts';
import { setLicence } from './admin/set-licence.ts';
import { updateAccount } from './admin/update-account.ts';
import { updateUser } from './admin/update-user.ts';
import { approveCall } from './approvals/approve-call.ts';
import { listApprovals } from './approvals/list-approvals.ts';
import { rejectCall } from './approvals/reject-call.ts';
import { getApplication } from './applications/get-application.ts';
import { listApplications } from './applications/list-applications.ts';
import { whoami } from './auth/whoami.ts';
import { createAuthProvider } from './auth-providers/create-auth-provider.ts';
import { deleteAuthProvider } from './auth-providers/delete-auth-provider.ts';
import { getAuthProvider } from './auth-providers/get-auth-provider.ts';
import { getRedirectUri } from './auth-providers/get-redirect-uri.ts';
import { listAuthProviderSources } from './auth-providers/list-auth-provider-sources.ts';
import { listAuthProviders } from './auth-providers/list-auth-providers.ts';
import { listUsableAuthProviders } from './auth-providers/list-usable-auth-providers.ts';
import { updateAuthProvider } from './auth-providers/update-auth-provider.ts';
import { createConnectSession } from './connect-sessions/create-connect-session.ts';
import { deleteEndUser } from './connect-sessions/delete-end-user.ts';
import { endConnectSession } from './connect-sessions/end-connect-session.ts';
import { getConnectSession } from './connect-sessions/get-connect-session.ts';
import { createConnection } from './connections/create-connection.ts';
import { deleteConnection } from './connections/delete-connection.ts';
import { getConnection } from './connections/get-connection.ts';
import { getSignInUrl } from './connections/get-sign-in-url.ts';
import { listConnections } from './connections/list-connections.ts';
import { pollSignIn } from './connections/poll-sign-in.ts';
import { replaceConnection } from './connections/replace-connection.ts';
import { sendRequest } from './connections/send-request.ts';
import { setDefaultConnection } from './connections/set-default-connection.ts';
import { testConnection } from './connections/test-connection.ts';
import { getExecution } from './executions/get-execution.ts';
import { listExecutions } from './executions/list-executions.ts';
import { deleteFile } from './files/delete-file.ts';
import { downloadFile } from './files/download-file.ts';
import { getFile } from './files/get-file.ts';
import { uploadFile } from './files/upload-file.ts';
import { abortCanary } from './operator/abort-canary.ts';
import { createAccount } from './operator/create-account.ts';
import { deleteAccount } from './operator/delete-account.ts';
import { exportAccount } from './operator/export-account.ts';
import { getOperatedAccount } from './operator/get-account.ts';
import { listAccounts } from './operator/list-accounts.ts';
import { listCanaries } from './operator/list-canaries.ts';
import { listPlatformAuditEntries } from './operator/list-platform-audit-entries.ts';
import { promoteCanary } from './operator/promote-canary.ts';
import { rotateSigningKey } from './operator/rotate-signing-key.ts';
import { updateCanary } from './operator/update-canary.ts';
import { updateOperatedAccount } from './operator/update-account.ts';
import { verifyAuditLog } from './operator/verify-audit-log.ts';
import { verifyPlatformAuditLog } from './operator/verify-platform-audit-log.ts';
import { acceptChangedTools } from './mcp-servers/accept-changed-tools.ts';
import { createMcpServer } from './mcp-servers/create-mcp-server.ts';
import { deleteMcpServer } from './mcp-servers/delete-mcp-server.ts';
import { getMcpServer } from './mcp-servers/get-mcp-server.ts';
import { listMcpServers } from './mcp-servers/list-mcp-servers.ts';
import { rotateMcpServerToken } from './mcp-servers/rotate-mcp-server-token.ts';
import { updateMcpServer } from './mcp-servers/update-mcp-server.ts';
import { createOnPremAgent } from './on-prem-agents/create-on-prem-agent.ts';
import { deleteOnPremAgent } from './on-prem-agents/delete-on-prem-agent.ts';
import { getLatestAgentRelease } from './on-prem-agents/get-latest-agent-release.ts';
import { getOnPremAgent } from './on-prem-agents/get-on-prem-agent.ts';
import { downloadOnPremAgentLogs } from './on-prem-agents/download-on-prem-agent-logs.ts';
import { getOnPremAgentToken } from './on-prem-agents/get-on-prem-agent-token.ts';
import { listOnPremAgents } from './on-prem-agents/list-on-prem-agents.ts';
import { rotateOnPremAgentToken } from './on-prem-agents/rotate-on-prem-agent-token.ts';
import { updateOnPremAgent } from './on-prem-agents/update-on-prem-agent.ts';
import { executeTool } from './tools/execute-tool.ts';
import { getTool } from './tools/get-tool.ts';
import { listTools } from './tools/list-tools.ts';
import { createToolset } from './toolsets/create-toolset.ts';
import { deleteToolset } from './toolsets/delete-toolset.ts';
import { getToolset } from './toolsets/get-toolset.ts';
import { listToolsetTools } from './toolsets/list-toolset-tools.ts';
import { listToolsets } from './toolsets/list-toolsets.ts';
import { updateToolset } from './toolsets/update-toolset.ts';
import { createDestination } from './destinations/create-destination.ts';
import { deleteDestination } from './destinations/delete-destination.ts';
import { getDestination } from './destinations/get-destination.ts';
import { listDestinations } from './destinations/list-destinations.ts';
import { rotateDestinationSecret } from './destinations/rotate-destination-secret.ts';
import { updateDestination } from './destinations/update-destination.ts';
import { createTrigger } from './triggers/create-trigger.ts';
import { deleteTrigger } from './triggers/delete-trigger.ts';
import { getTrigger } from './triggers/get-trigger.ts';
import { listTriggers } from './triggers/list-triggers.ts';
import { testTrigger } from './triggers/test-trigger.ts';
import { updateTrigger } from './triggers/update-trigger.ts';
import { listTriggerTypes } from './triggers/list-trigger-types.ts';
import { getEventBody } from './events/get-event-body.ts';
import { getEvent } from './events/get-event.ts';
import { listEvents } from './events/list-events.ts';
import { replayEvent } from './events/replay-event.ts';
import { replayEvents } from './events/replay-events.ts';
import { createWorkflow } from './workflows/create-workflow.ts';
import { deleteWorkflow } from './workflows/delete-workflow.ts';
import { getWorkflow } from './workflows/get-workflow.ts';
import { listWorkflows } from './workflows/list-workflows.ts';
import { updateWorkflow } from './workflows/update-workflow.ts';

/** Every operation of the API, in the order of the OpenAPI document. */
export const routeTable: readonly Route<Services>[] = [
  whoami,
  listApplications,
  getApplication,
  listTools,
  getTool,
  executeTool,
  listExecutions,
  getExecution,
  listToolsets,
  createToolset,
  getToolset,
  updateToolset,
  deleteToolset,
  listToolsetTools,
  uploadFile,
  getFile,
  deleteFile,
  downloadFile,
  listApprovals,
  approveCall,
  rejectCall,
  listWorkflows,
  createWorkflow,
  getWorkflow,
  updateWorkflow,
  deleteWorkflow,
  listMcpServers,
  getMcpServer,
  updateMcpServer,
  createMcpServer,
  deleteMcpServer,
  rotateMcpServerToken,
  acceptChangedTools,
  listOnPremAgents,
  getLatestAgentRelease,
  getOnPremAgent,
  createOnPremAgent,
  updateOnPremAgent,
  deleteOnPremAgent,
  getOnPremAgentToken,
  downloadOnPremAgentLogs,
  rotateOnPremAgentToken,
  listTriggerTypes,
  listDestinations,
  createDestination,
  getDestination,
  updateDestination,
  deleteDestination,
  rotateDestinationSecret,
  listTriggers,
  createTrigger,
  getTrigger,
  updateTrigger,
  deleteTrigger,
  testTrigger,
  listEvents,
  getEvent,
  getEventBody,
  replayEvent,
  replayEvents,
  listConnections,
  createConnection,
  getConnection,
  replaceConnection,
  deleteConnection,
  setDefaultConnection,
  testConnection,
  sendRequest,
  getSignInUrl,
  pollSignIn,
  createConnectSession,
  getConnectSession,
  endConnectSession,
  deleteEndUser,
  listAuthProviders,
  createAuthProvider,
  getRedirectUri,
  listAuthProviderSources,
  listUsableAuthProviders,
  getAuthProvider,
  updateAuthProvider,
  deleteAuthProvider,
  getAccount,
  updateAccount,
  listUsers,
  createUser,
  updateUser,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  listOAuthClients,
  createOAuthClient,
  deleteOAuthClient,
  listAllConnections,
  setLicence,
  deleteOwnApplication,
  getOwnApplication,
  importApplication,
  importConnection,
  listAuditEntries,
  getUsage,
  listAccounts,
  createAccount,
  getOperatedAccount,
  updateOperatedAccount,
  deleteAccount,
  exportAccount,
  verifyAuditLog,
  listPlatformAuditEntries,
  verifyPlatformAuditLog,
  rotateSigningKey,
  listCanaries,
  updateCanary,
  abortCanary,
  promoteCanary,
];
