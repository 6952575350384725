import type { DevStack } from '../../setup/dev-stack.ts';
import type { LoadRoute } from './load.ts';

/** DATA_TIMEOUT_MS of the gateway, for routes that only read and write our own data. */
export const DATA_DEADLINE_MS = 8_000;
/**
 * For routes that call an application: EXECUTION_TIMEOUT_MS of the tools service (30 s), plus a margin for the response. The gateway's own
 * limit, REQUEST_TIMEOUT_MS, is higher.
 */
const APPLICATION_DEADLINE_MS = 35_000;

function get(path: string): LoadRoute {
  return { name: `GET ${path}`, method: 'GET', path, deadlineMs: DATA_DEADLINE_MS };
}

/** Reads that need different services: gateway, catalog, connections, tools. */
export function readRoutes(connectionId: number): readonly LoadRoute[] {
  return [
    get('/v1/auth/whoami'),
    get('/v1/applications'),
    get('/v1/tools/sandbox-crm-list-contacts'),
    get('/v1/connections'),
    get(`/v1/connections/${connectionId}`),
    get('/v1/executions?top=5'),
  ];
}

/** An execution: gateway, tools, connections, catalog, the sample vendor and the databases of tools and connections. */
export function executeRoute(connectionId: number): LoadRoute {
  return {
    name: 'POST …/execute',
    method: 'POST',
    path: `/v1/tools/sandbox-crm-list-contacts/execute?connectionId=${connectionId}`,
    body: { top: 3 },
    deadlineMs: APPLICATION_DEADLINE_MS,
  };
}

/** A write that is acknowledged with 201 and can be read back. */
export function createRoute(stack: DevStack): LoadRoute {
  return {
    name: 'POST /v1/connections',
    method: 'POST',
    path: '/v1/connections',
    body: connectionBody(stack),
    deadlineMs: APPLICATION_DEADLINE_MS,
  };
}

/** Creates the connection for the load's reads and executions; returns its id. */
export async function prepareConnection(
  stack: Pick<DevStack, 'baseUrl' | 'account' | 'sandboxCrm'>,
): Promise<number> {
  const answer = await fetch(`${stack.baseUrl}/v1/connections`, {
    method: 'POST',
    headers: { 'x-api-key': stack.account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(connectionBody(stack)),
  });
  if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { id: number }).id; // the contract's Connection
}

function connectionBody(stack: Pick<DevStack, 'sandboxCrm'>): unknown {
  return {
    applicationSlug: 'sandbox-crm',
    connectionName: 'Under load',
    authenticationId: 1,
    fields: { apiToken: stack.sandboxCrm.apiKey },
  };
}
