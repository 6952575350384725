import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, vi } from 'vitest';
import { call, del, get, post, stack } from '../../contract/support/api.ts';
import type { Answer, CallOptions } from '../../contract/support/api.ts';
import { authorizedState } from '../../contract/support/sign-in.ts';
import { kill, processOf, untilReplaced } from '../../faults/support/processes.ts';
import { receivedSpans } from './collector.ts';
import { metricPages } from './evidence.ts';
import { exerciseAgent } from './exercise-agent.ts';
import type { Plant, Send } from './exercise-agent.ts';
import { startHostileVendor } from './hostile-vendor.ts';
import type { Evidence, PlantedSecret } from './search.ts';
import { secretsOfStack } from './stack-secrets.ts';

/** The results. */
export interface Exercise {
  readonly planted: readonly PlantedSecret[];
  /** Every response of the API. */
  readonly answers: readonly Evidence[];
  /** Metrics pages of processes that were killed later. */
  readonly metrics: readonly Evidence[];
}

// Characters that must be escaped in headers, URLs, forms and JSON.
const AWKWARD = '+/="&%';
const NOBODY = 'http://127.0.0.1:1';
const PATIENCE = { timeout: 90_000, interval: 100 };

/**
 * Plants a secret in every place that accepts one and makes successful and failing calls with them: valid and refused credentials, vendors
 * that echo requests, failing and breaking connections, dry runs, an MCP server, refused inputs, and a service that dies during a call.
 * Resolves when the collector has the last call's spans.
 */
export async function exerciseWithSecrets(data: string, collectorUrl: string): Promise<Exercise> {
  const planted: PlantedSecret[] = [];
  const answers: Evidence[] = [];
  const vendor = await startHostileVendor();

  const plant = (
    name: string,
    value = `canary-${randomBytes(12).toString('base64url')}${AWKWARD}`,
  ): string => {
    planted.push({ name, value });
    return value;
  };
  const note = (what: string, answer: Answer): Answer => {
    // Not checked: an output is the vendor's unchanged response to its own customer (the contract). Its history is masked.
    const { output: _vendors, ...rest } = answer.body?.isSuccess === true ? answer.body : {};
    const body = answer.body?.isSuccess === true ? JSON.stringify(rest) : answer.text;
    answers.push({
      place: `${what}, answer ${answers.length}: ${answer.status}`,
      bytes: Buffer.from(`${JSON.stringify([...answer.headers])}\n${body}`),
    });
    return answer;
  };
  const send = async (
    what: string,
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Answer> => note(what, await call(method, path, options));
  const connect = async (
    what: string,
    applicationSlug: string,
    authenticationId: number,
    rest: Record<string, unknown>,
  ): Promise<number> => {
    const body = { applicationSlug, authenticationId, connectionName: what, ...rest };
    const answer = await send(what, 'POST', '/v1/connections', { body });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.id;
  };
  const execute = (tool: string, id: number, fields: unknown, more = ''): Promise<Answer> =>
    send(tool, 'POST', `/v1/tools/${tool}/execute?connectionId=${id}${more}`, { body: { fields } });
  /** Uses and displays a connection in every way. */
  const use = async (id: number, tool: string, fields: unknown): Promise<Answer> => {
    await send('test', 'POST', `/v1/connections/${id}/test`);
    await execute(tool, id, fields, '&dryRun=true');
    const answer = await execute(tool, id, fields);
    await send('show', 'GET', `/v1/connections/${id}`);
    await send('history', 'GET', `/v1/executions/${answer.body.historyId}`);
    return answer;
  };
  const fail = (id: number, message: string): Promise<Answer> =>
    execute('sandbox-crm-simulate-failure', id, { status: 422, message });

  try {
    for (const { name, value } of await secretsOfStack(data, stack)) plant(name, value);

    // An API key, valid and invalid; the vendor repeats it in its refusal.
    const { apiKey, oauthClientId, oauthClientSecret } = stack.sandboxCrm;
    const crm = await connect('api key', 'sandbox-crm', 1, { fields: { apiToken: apiKey } });
    expect((await use(crm, 'sandbox-crm-whoami', {})).body).toMatchObject({ isSuccess: true });
    for (const form of [apiKey, encodeURIComponent(apiKey), Buffer.from(`x:${apiKey}`).toString('base64')]) {
      expect((await fail(crm, `who is ${form}?`)).body).toMatchObject({ isSuccess: false });
    }
    const badToken = plant('refused API token');
    const refused = await connect('bad api key', 'sandbox-crm', 1, { fields: { apiToken: badToken } });
    expect((await use(refused, 'sandbox-crm-whoami', {})).body).toMatchObject({ isSuccess: false });

    // OAuth: a sign-in, a refresh, client credentials, valid and invalid.
    const signedIn = await connect('sign-in', 'sandbox-crm', 0, { oauthState: await authorizedState() });
    expect((await use(signedIn, 'sandbox-crm-whoami', {})).body).toMatchObject({ isSuccess: true });
    await administer('expire-tokens');
    expect((await use(signedIn, 'sandbox-crm-whoami', {})).body).toMatchObject({ isSuccess: true });
    const client = { clientId: oauthClientId, clientSecret: oauthClientSecret };
    const machine = await connect('client credentials', 'sandbox-crm', 2, { fields: client });
    expect((await use(machine, 'sandbox-crm-whoami', {})).body).toMatchObject({ isSuccess: true });
    const badClient = { clientId: oauthClientId, clientSecret: plant('refused client secret') };
    await send('bad client', 'POST', '/v1/connections', {
      body: { applicationSlug: 'sandbox-crm', authenticationId: 2, connectionName: 'bad', fields: badClient },
    });
    const tokens = tokensOf(data);
    expect(tokens.length).toBeGreaterThan(3);
    for (const [at, token] of tokens.entries()) plant(`token ${at} of the vendor`, token);
    for (const [id, token] of [signedIn, machine].flatMap((id) => tokens.map((it) => [id, it] as const))) {
      await execute('sandbox-crm-whoami', id, { note: token });
    }

    // The HTTP connector with three vendors: one that echoes requests, one that disconnects, one that does not exist.
    for (const baseUrl of [vendor.url, `${vendor.url}/cut`, NOBODY]) {
      const bearer = { baseUrl, token: plant('bearer token') };
      const basic = { baseUrl, username: 'user', password: plant('basic password') };
      const header = { baseUrl, headerName: 'x-api-key', apiKey: plant('key in a header') };
      for (const [authenticationId, fields] of [header, basic, bearer].entries()) {
        const id = await connect('http', 'http', authenticationId + 1, { fields });
        await use(id, 'http-send-request', { url: 'things', query: { q: 'x' } });
      }
    }

    // MCP servers: one that echoes the token, one that ignores it.
    const mcp = async (serverUrl: string) => ({ serverUrl, token: plant('MCP token') });
    for (const url of [vendor.url, `${vendor.url}/cut`, NOBODY]) {
      const body = {
        applicationSlug: 'mcp',
        authenticationId: 1,
        connectionName: 'mcp',
        fields: await mcp(url),
      };
      expect((await send('hostile MCP', 'POST', '/v1/connections', { body })).status).not.toBe(201);
    }
    const everything = await connect('MCP', 'mcp', 1, { fields: await mcp(stack.samples.mcpServerUrl) });
    await send('test', 'POST', `/v1/connections/${everything}/test`);
    await send('tools', 'GET', '/v1/tools?search=echo&top=100');

    await callThroughServer(crm, apiKey, { send, plant });

    // PostgreSQL: the correct password and a wrong one.
    const url = new URL(stack.samples.postgresUrl);
    const database = {
      host: url.hostname,
      port: Number(url.port),
      database: url.pathname.slice(1),
      user: url.username,
    };
    const password = decodeURIComponent(url.password);
    if (password.length >= 8) plant('password of PostgreSQL', password);
    const good = await connect('postgres', 'postgresql', 0, { fields: { ...database, password } });
    expect((await use(good, 'postgresql-list-tables', {})).body).toMatchObject({ isSuccess: true });
    const wrong = { ...database, password: plant('refused password of PostgreSQL') };
    for (const fields of [wrong, { ...wrong, port: 1 }]) {
      const id = await connect('bad postgres', 'postgresql', 0, { fields });
      expect((await use(id, 'postgresql-list-tables', {})).body).toMatchObject({ isSuccess: false });
    }

    await exerciseAgent(send, plant);
    await sendRefusedInputs(send, plant);
    const metrics = await metricPages(stack);

    // First the vendor is down, then a service dies while the vendor is slow.
    await administer('down');
    await use(crm, 'sandbox-crm-whoami', {});
    await use(signedIn, 'sandbox-crm-whoami', {});
    await administer('up');
    await dieInCall(crm, apiKey, note);

    await send('connections', 'GET', '/v1/connections?top=100');
    await send('connections of all', 'GET', '/admin/v1/connections?top=100');
    await send('history', 'GET', '/v1/executions?top=100');
    await arrivalOfSpans(crm, collectorUrl);
    return { planted, answers, metrics };
  } finally {
    await administer('up');
    await vendor.close();
  }
}

/** Removes every connection, so that the next file starts without. */
export async function removeConnections(): Promise<void> {
  const { items } = (await get('/v1/connections?top=100')).body;
  for (const { id } of items) await del(`/v1/connections/${id}`);
}

/** Every code and token issued by the vendor. It stores them in plain text, because to the vendor they are not secrets. */
function tokensOf(data: string): string[] {
  const database = new DatabaseSync(join(data, 'sandbox-crm', 'sandbox-crm.sqlite'), { readOnly: true });
  try {
    const models = ['AccessToken', 'RefreshToken', 'AuthorizationCode', 'ClientCredentials'];
    const rows = database.prepare('SELECT model, id FROM oauth_entity').all();
    return rows.filter(({ model }) => models.includes(String(model))).map(({ id }) => String(id));
  } finally {
    database.close();
  }
}

/**
 * Calls a tool through an MCP server over every transport: the server's token is a secret, and so is everything that the client sends in a
 * session.
 */
async function callThroughServer(
  connectionId: number,
  apiToken: string,
  { send, plant }: { readonly send: Send; readonly plant: Plant },
): Promise<void> {
  const connections = [{ connectionId, tools: null }];
  // The answer contains the token.
  const { body: server } = await post('/admin/v1/mcpservers', { name: 'Exercised', connections });
  const token = plant('token of an MCP server', String(server.mcpServerToken));
  const path = (of: string): string => `/mcp/${of}/mcp`;
  const message = (method: string, params: object): CallOptions => ({
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  const callOf = (name: string, fields: object, more = {}) =>
    message('tools/call', { name, arguments: fields, ...more });
  const whoami = callOf('sandbox-crm-whoami', {});
  const { result } = (await send('MCP call', 'POST', path(token), whoami)).body;
  expect(result).not.toHaveProperty('isError');
  const failing = { status: 422, message: `who is ${apiToken}?` };
  const echo = callOf('sandbox-crm-simulate-failure', failing);
  expect((await send('failing MCP call', 'POST', path(token), echo)).body.result.isError).toBe(true);
  const echoes = callOf('sandbox-crm-simulate-failure', failing, { task: {} });
  const { task } = (await send('MCP task', 'POST', path(token), echoes)).body.result;
  await send('end of an MCP task', 'POST', path(token), message('tasks/result', { taskId: task.taskId }));
  await send('MCP list', 'POST', path(token), message('tools/list', {}));
  await send('refused MCP call', 'POST', path(token), callOf('no-such-tool', {}));
  await send('MCP call without a credential', 'POST', path(token), { ...whoami, apiKey: null });
  await send(
    'unknown MCP server',
    'POST',
    path(plant('unknown token of an MCP server', `${token}x`)),
    whoami,
  );
  const clientInfo = { name: 'exercise', version: '1' };
  const initialize = message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  // The answer contains the session's id.
  const session = (await call('POST', path(token), initialize)).headers.get('mcp-session-id') ?? '';
  const headers = { 'mcp-session-id': plant('id of an MCP session', session) };
  await send('MCP call in a session', 'POST', path(token), { ...whoami, headers });
  await send('end of an MCP session', 'DELETE', path(token), { headers });
  await send('MCP call in an ended session', 'POST', path(token), { ...whoami, headers });
  await del(`/admin/v1/mcpservers/${token}`);
}

/** Requests that are refused at each stage, each with a secret in a wrong place. */
async function sendRefusedInputs(send: Send, plant: Plant): Promise<void> {
  const value = plant('refused input');
  const connection = { applicationSlug: 'sandbox-crm', connectionName: 'x', authenticationId: 1 };
  for (const body of [
    { ...connection, fields: { apiToken: { value } } },
    { ...connection, fields: { apiToken: 'x', unknown: value } },
    { ...connection, authenticationId: value, fields: { apiToken: value } },
    { ...connection, authenticationId: 0, oauthState: value },
    { ...connection, metadata: value, fields: [value] },
    { applicationSlug: 'no-such', fields: { apiToken: value } },
  ]) {
    await send('refused connection', 'POST', '/v1/connections', { body });
  }
  for (const body of [
    { fields: { id: { value } } },
    { fields: value },
    { fields: {}, filters: [{ field: value, operator: value, value }] },
    { fields: {}, top: value },
  ]) {
    await send('refused execution', 'POST', '/v1/tools/sandbox-crm-get-contact/execute', { body });
    await send('refused execution', 'POST', '/v1/tools/sandbox-crm-list-contacts/execute', { body });
  }
  const headers = { 'content-type': 'application/json' };
  await send('malformed', 'POST', '/v1/connections', { raw: `{"fields": {"apiToken": "${value}"`, headers });
  await send('malformed', 'POST', '/v1/connections', { raw: value, headers });
  await send('unsupported', 'POST', '/v1/connections', {
    raw: value,
    headers: { 'content-type': 'text/plain' },
  });
  const encoded = encodeURIComponent(plant('refused query'));
  await send('query', 'GET', `/v1/connections?top=${encoded}&apiToken=${encoded}`);
  await send('enum', 'GET', `/v1/applications?kind=${encoded}`);
  await send('id', 'GET', `/v1/connections/${encoded}`);
  await send('route', 'GET', `/v1/nothing/${encoded}?x=${encoded}`);
  await send('sign-in', 'GET', `/connect/callback?code=${encoded}&state=${encoded}`);
  await send('sign-in', 'GET', `/connect/start/${encoded}`);
  await send('poll', 'GET', `/v1/connections/oauth/${encoded}`);
  const key = `fairlead_${plant('refused API key')}`;
  await send('key', 'GET', '/v1/connections', { apiKey: key });
  await send('bearer', 'GET', '/v1/connections', { headers: { authorization: `Bearer ${key}` } });
  await send('basic', 'GET', '/v1/connections', {
    headers: { authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}` },
  });
}

/** Kills the tools service while it handles a secret and waits for the vendor. */
async function dieInCall(
  id: number,
  secret: string,
  note: (what: string, answer: Answer) => Answer,
): Promise<void> {
  const program = 'services/tools/src/main.ts';
  const before = (await get('/v1/executions?top=1')).body.totalCount;
  const victim = processOf(stack, program);
  const fields = { status: 500, delayMs: 20_000, message: secret };
  const pending = post(`/v1/tools/sandbox-crm-simulate-failure/execute?connectionId=${id}`, { fields });
  // The row is written before the vendor is called.
  await vi.waitFor(
    async () => expect((await get('/v1/executions?top=1')).body.totalCount).toBe(before + 1),
    PATIENCE,
  );
  kill(victim);
  const answer = note('killed', await pending);
  expect(answer.status).toBe(504);
  await untilReplaced(stack, program, victim);
  await vi.waitFor(async () => expect((await get('/v1/executions')).status).toBe(200), PATIENCE);
}

/** Makes another call and waits for its spans from all services; earlier calls' spans have then arrived, too. */
async function arrivalOfSpans(id: number, collectorUrl: string): Promise<void> {
  const traceId = randomBytes(16).toString('hex');
  const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
  await post(`/v1/tools/sandbox-crm-whoami/execute?connectionId=${id}`, {}, { headers });
  const services = async (): Promise<number> => {
    const seen = (await receivedSpans(collectorUrl)).filter((span) => span.traceId === traceId);
    return new Set(seen.map(({ service }) => service)).size;
  };
  await vi.waitFor(async () => expect(await services()).toBe(4), PATIENCE);
}

async function administer(action: string): Promise<void> {
  const answer = await fetch(`${stack.sandboxCrm.url}/admin/api/${action}`, {
    method: 'POST',
    headers: { 'x-admin-key': stack.sandboxCrm.adminKey },
  });
  if (!answer.ok) throw new Error(`The vendor answered ${answer.status} to ${action}.`);
}
