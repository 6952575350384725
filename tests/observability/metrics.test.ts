import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { expect, test } from 'vitest';
import { del, get, post, stack } from '../contract/support/api.ts';
import { createCrmConnection, removeConnection } from '../contract/support/connections.ts';

async function page(service: string): Promise<string> {
  const answer = await fetch(`${stack.admin[service]}/metrics`);
  expect(answer.status).toBe(200);
  return answer.text();
}

/** The value of a metric line; 0 if there is none. */
async function valueOf(service: string, line: string): Promise<number> {
  const found = (await page(service)).split('\n').find((text) => text.startsWith(`${line} `));
  return found === undefined ? 0 : Number(found.slice(line.length + 1));
}

const RPC = 'service="fairlead.tools.v1.ExecutionService",method="ExecuteTool",code="OK"';

/** The metrics of one execution, hop by hop. */
const HOPS = [
  [
    'gateway',
    'http_server_request_duration_seconds_count{method="POST",route="/v1/tools/{toolSlug}/execute",status="200"}',
  ],
  ['gateway', `rpc_client_duration_seconds_count{${RPC},track="stable"}`],
  ['tools', `rpc_server_duration_seconds_count{${RPC}}`],
  ['tools', 'egress_call_duration_seconds_count{kind="http",outcome="2xx"}'],
] as const;

test('an execution counts once at each hop', async () => {
  const { id } = await createCrmConnection('Counted');
  const counts = () => Promise.all(HOPS.map(([service, line]) => valueOf(service, line)));
  const before = await counts();
  const answer = await post('/v1/tools/sandbox-crm-whoami/execute', {});
  expect(answer.body).toMatchObject({ isSuccess: true });
  // The gateway counts after sending the response, possibly after the client has received it.
  await expect.poll(counts).toEqual(before.map((value) => value + 1));
  await removeConnection(id);
});

const HANDLE = 'service="fairlead.mcp.v1.EndpointService",method="HandleMessage",code="OK"';

/** The metrics of one tool call of an MCP client, hop by hop. */
const MCP_HOPS = [
  [
    'gateway',
    'http_server_request_duration_seconds_count{method="POST",route="/mcp/{token}/mcp",status="200"}',
  ],
  ['gateway', `rpc_client_duration_seconds_count{${HANDLE},track="stable"}`],
  ['mcp', `rpc_server_duration_seconds_count{${HANDLE}}`],
  ['mcp', `rpc_client_duration_seconds_count{${RPC},track="stable"}`],
  ['tools', `rpc_server_duration_seconds_count{${RPC}}`],
] as const;

test('a tool call of an MCP client counts once at each hop', async () => {
  const { id } = await createCrmConnection('Counted');
  const connections = [{ connectionId: id, tools: ['sandbox-crm-whoami'] }];
  const made = (await post('/admin/v1/mcpservers', { name: 'Counted', connections })).body;
  const counts = () => Promise.all(MCP_HOPS.map(([service, line]) => valueOf(service, line)));
  const before = await counts();
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'sandbox-crm-whoami' } };
  const answer = await post(`${stack.mcpUrl}/${made.mcpServerToken}/mcp`, message);
  expect(answer.body.result, answer.text).not.toHaveProperty('isError');
  await expect.poll(counts).toEqual(before.map((value) => value + 1));
  await del(`/admin/v1/mcpservers/${made.mcpServerToken}`);
  await removeConnection(id);
});

test('a call of a trigger counts at the gateway, and each run of a schedule by how it ended', async () => {
  const create = async (type: string, members: object = {}) =>
    (await post('/v1/triggers', { name: 'Counted', triggerTypeSlug: type, destinationIds: [], ...members }))
      .body;
  const called = await create('http_webhook');
  const hooks = () =>
    valueOf(
      'gateway',
      'http_server_request_duration_seconds_count{method="POST",route="/hooks/{token}",status="202"}',
    );
  const runs = () => valueOf('triggers', 'trigger_runs_total{kind="schedule",outcome="fired"}');
  const [calledBefore, runBefore] = [await hooks(), await runs()];
  expect((await fetch(called.inboundUrl, { method: 'POST', body: '{}' })).status).toBe(202);
  await expect.poll(hooks).toBe(calledBefore + 1);
  const ticking = await create('schedule', { configuration: { cron: '* * * * * *' } });
  await expect.poll(runs).toBeGreaterThan(runBefore);
  expect(await valueOf('triggers', 'trigger_run_duration_seconds_count{kind="schedule"}')).toBeGreaterThan(0);
  for (const { id } of [called, ticking]) await del(`/v1/triggers/${id}`);
});

/** Labels whose values may be numbers. */
const NUMERIC = new Set(['le', 'status', 'version']);

test('no label holds an id, a path or a host', async () => {
  const connection = await createCrmConnection('Labelled');
  await get(`/v1/connections/${connection.id}`);
  await get('/v1/connections/987654321');
  await get('/v1/no-such-route/987654321');
  await removeConnection(connection.id);
  for (const service of Object.keys(stack.admin)) {
    const labels = (await page(service)).matchAll(/(\w+)="([^"]*)"/g);
    const values = [...labels].flatMap(([, name = '', value = '']) => (NUMERIC.has(name) ? [] : [value]));
    expect(values.length, service).toBeGreaterThan(0);
    // Versions such as v1 have one digit.
    const suspects = values.filter((value) => /\d\d|:\/\/|no-such-route/.test(value));
    expect(suspects, service).toEqual([]);
    expect(values, service).not.toContain(String(connection.id));
    expect(values, service).not.toContain(stack.account.accountId);
  }
});

test('every service, including the gateway, reports its process metrics and its liveness', async () => {
  expect(Object.keys(stack.admin).toSorted()).toEqual(['gateway', ...SERVICE_NAMES].toSorted());
  for (const service of Object.keys(stack.admin)) {
    expect(await page(service)).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect((await fetch(`${stack.admin[service]}/livez`)).status).toBe(200);
  }
});

/** Series that must exist before their first increase, which is an alert: Prometheus only sees increases of known series. */
const ALERTED = [
  ['gateway', 'audit_events_lost_total'],
  ['gateway', 'hook_queue_full_total'],
  ['triggers', 'trigger_gaps_total'],
  ['triggers', 'trigger_events_lost_total'],
  ['delivery', 'stream_messages_total{consumer="delivery",outcome="unreadable"}'],
  ['connections', 'sealing_data_keys_rewrapped_total{outcome="failed"}'],
  ['connections', 'sealing_documents_resealed_total{outcome="failed"}'],
] as const;

test.each(ALERTED)('%s shows %s before it counts anything', async (service, series) => {
  expect((await page(service)).split('\n')).toContain(`${series} 0`);
});
