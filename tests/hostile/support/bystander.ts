import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import { asOther, stack } from '../../contract/support/api.ts';
import { createConnection } from '../../contract/support/connections.ts';
import { answeringAgent } from '../../contract/support/test-agents.ts';
import { startLoad } from '../../faults/support/load.ts';
import type { Load, LoadRoute } from '../../faults/support/load.ts';
import { openMcpTarget } from './mcp-target.ts';

/** Calls of an account that is not attacked, until stopped. */
export interface Bystander extends Pick<Load, 'outcomes' | 'untilWell'> {
  stop(): Promise<void>;
}

/** Longer than any deadline of the stack; late responses are recognised by their status. */
const DEADLINE_MS = 60_000;
const START_LIMIT_MS = 180_000;

/**
 * Starts calls of this file's other account through every service, to an honest API, an honest database and an on-prem agent. Resolves once
 * each has succeeded, so that its workers run before the attack.
 */
export async function startBystander(): Promise<Bystander> {
  const vendor = await startTestServer(() => ({ body: { isHonest: true } }));
  const api = await createConnection(
    {
      applicationSlug: 'http',
      connectionName: 'Honest API',
      authenticationId: 1,
      fields: { baseUrl: vendor.url, apiKey: 'k' },
    },
    asOther.apiKey,
  );
  const mcp = await openMcpTarget(asOther);
  const agent = await answeringAgent(stack.otherAccount, { status: 200, headers: {}, body: null });
  const url = new URL(stack.samples.postgresUrl);
  const database = await createConnection(
    {
      applicationSlug: 'postgresql',
      connectionName: 'Honest database',
      fields: {
        host: url.hostname,
        port: Number(url.port),
        database: url.pathname.slice(1),
        user: url.username,
        password: decodeURIComponent(url.password),
      },
    },
    asOther.apiKey,
  );
  const load = startLoad({
    baseUrl: stack.baseUrl,
    apiKey: asOther.apiKey,
    routes: [
      get('/v1/auth/whoami'),
      get('/v1/tools?search=contact'),
      get('/v1/applications'),
      get(`/v1/connections/${api.id}`),
      get('/v1/executions?top=5'),
      execute('http-send-request', api.id, { url: '/' }),
      execute('postgresql-list-tables', database.id, {}),
      execute('onprem-http-request', agent.id, { url: 'http://intranet.example/' }),
      {
        name: 'tools/call',
        method: 'POST',
        path: new URL(mcp.url).pathname,
        body: mcp.call,
        deadlineMs: DEADLINE_MS,
      },
    ],
    callers: 2,
    pauseMs: 20,
  });
  const bystander: Bystander = {
    outcomes: load.outcomes,
    untilWell: (limitMs, times) => load.untilWell(limitMs, times),
    async stop() {
      await load.stop();
      await Promise.all([vendor.close(), mcp.close(), agent.stop()]);
    },
  };
  try {
    await bystander.untilWell(START_LIMIT_MS);
  } catch (error) {
    await bystander.stop();
    throw error;
  }
  return bystander;
}

function get(path: string): LoadRoute {
  return { name: `GET ${path}`, method: 'GET', path, deadlineMs: DEADLINE_MS };
}

function execute(toolSlug: string, connectionId: number, fields: object): LoadRoute {
  return {
    name: `execute ${toolSlug}`,
    method: 'POST',
    path: `/v1/tools/${toolSlug}/execute?connectionId=${connectionId}`,
    body: { fields },
    deadlineMs: DEADLINE_MS,
  };
}
