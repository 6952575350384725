import type { Route } from '../http/route.ts';
import { listAllConnections } from './admin/list-all-connections.ts';
import { setLicence } from './admin/set-licence.ts';
import { getApplication } from './applications/get-application.ts';
import { listApplications } from './applications/list-applications.ts';
import { whoami } from './auth/whoami.ts';
import { createConnection } from './connections/create-connection.ts';
import { deleteConnection } from './connections/delete-connection.ts';
import { getConnection } from './connections/get-connection.ts';
import { getSignInUrl } from './connections/get-sign-in-url.ts';
import { listConnections } from './connections/list-connections.ts';
import { pollSignIn } from './connections/poll-sign-in.ts';
import { replaceConnection } from './connections/replace-connection.ts';
import { setDefaultConnection } from './connections/set-default-connection.ts';
import { testConnection } from './connections/test-connection.ts';
import { getExecution } from './executions/get-execution.ts';
import { listExecutions } from './executions/list-executions.ts';
import { executeTool } from './tools/execute-tool.ts';
import { getTool } from './tools/get-tool.ts';
import { listTools } from './tools/list-tools.ts';

/** Every operation of the API, in the order of the OpenAPI document. */
export const routeTable: readonly Route[] = [
  whoami,
  listApplications,
  getApplication,
  listTools,
  getTool,
  executeTool,
  listExecutions,
  getExecution,
  listConnections,
  createConnection,
  getConnection,
  replaceConnection,
  deleteConnection,
  setDefaultConnection,
  testConnection,
  getSignInUrl,
  pollSignIn,
  listAllConnections,
  setLicence,
];
