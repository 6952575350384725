import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ConnectionResolution, ExecutionSource } from '@fairlead/contracts/tools/v1/execution_pb';
import { ApprovalService } from '@fairlead/contracts/tools/v1/approval_service_pb';
import { ExecutionService, FilterOperator } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { FileService } from '@fairlead/contracts/tools/v1/file_service_pb';
import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import type { Caller } from '@fairlead/service-kit/context/caller';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import { eraseAll, exportAll } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testPeer, testTransport } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys, testCallerKeysText } from '@fairlead/service-kit/testing/rpc';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { RpcApp } from '@fairlead/service-kit/lifecycle/start-service';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { jsonOf } from '@fairlead/service-kit/testing/json-bytes';
import { buildApp } from './app.ts';
import { toolsConfig } from './config.ts';
import { connectorHead, oauthMethod, toolDefinition } from './testing/fixtures.ts';
import { startNeighbours } from './testing/neighbours.ts';
import type { Neighbours } from './testing/neighbours.ts';

const STALE = 'stale-token-1';
const VALID = 'valid-token-2';
const TOOL = 'crm-list-contacts';
/** A list of 300 KiB. */
const LARGE = Array.from({ length: 10_000 }, (_item, at) => ({ name: `item ${at}`, at }));
const database = `test_${randomBase62(16)}`;

let neighbours: Neighbours;
let app: RpcApp;
let peer: RpcPeer;
let client: RpcClient<typeof ExecutionService>;
let ctx: RequestContext;

beforeAll(async () => {
  neighbours = await startNeighbours({
    callerKeys: testCallerKeys,
    tools: [toolDefinition()],
    connector: connectorHead({ authenticationMethods: [oauthMethod()], errorMessagePointers: ['/message'] }),
    connections: [
      { id: 7, accountId: 'mine', authenticationId: 0, isLicensed: true, accessTokens: [STALE, VALID] },
      { id: 8, accountId: 'mine', authenticationId: 0, isLicensed: true, accessTokens: [STALE] },
      { id: 9, accountId: 'mine', authenticationId: 0, isLicensed: false, accessTokens: [VALID] },
      { id: 10, accountId: 'other', authenticationId: 0, isLicensed: true, accessTokens: [VALID] },
    ],
    validToken: VALID,
    responses: { 'GET /large': { token: VALID, items: LARGE } },
  });
  const env = {
    MONGODB_URI: inject('mongodbUri'),
    NATS_URL: inject('natsUrl'),
    MONGODB_DATABASE: database,
    CALLER_CONTEXT_KEYS: testCallerKeysText,
    CATALOG_URL: neighbours.catalogUrl,
    PUBLIC_URL: 'http://127.0.0.1:8080',
    GATEWAY_URL: neighbours.gatewayUrl,
    CONNECTIONS_URL: neighbours.connectionsUrl,
    AGENTS_URL: neighbours.connectionsUrl,
    RPC_TRANSPORT: testTransport,
    EGRESS_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'silent',
  };
  app = await buildApp(loadConfig(toolsConfig, env));
  peer = testPeer('tools', app);
  client = createRpcClient(ExecutionService, {
    peer,
    callerKeys: testCallerKeys,
    clock: systemClock,
  });
});
afterAll(async () => {
  await peer.close();
  await app.close();
  await neighbours.close();
  const mongo = await MongoClient.connect(inject('mongodbUri'));
  await mongo.db(database).dropDatabase();
  await mongo.close();
});
beforeEach(() => {
  ctx = testContext({ accountId: 'mine' });
  neighbours.vendorLog.length = 0;
});

const fieldsJson = membersOf({ name: 'Ada' });

test('an execution with a stale token is refreshed, repeated and recorded, with its tokens masked', async () => {
  const filters = [
    {
      field: 'name',
      operator: FilterOperator.EQ,
      valueJson: Buffer.from('"A"'),
    },
  ];
  const result = await client.executeTool(ctx, {
    toolSlug: TOOL,
    fieldsJson: membersOf({ name: 'Ada', extra: 1 }),
    filters,
    top: 5,
  });
  expect(result).toMatchObject({
    isSuccess: true,
    outputJson: jsonOf({ items: [{ name: 'Ada', seen: 'Bearer ***' }] }),
    info: {
      connectionId: 7,
      connectionResolution: ConnectionResolution.DEFAULT,
      applicationSlug: 'crm',
      toolSlug: TOOL,
      toolVersion: '1.2.0',
      attempts: 2,
    },
  });
  expect(neighbours.vendorLog).toHaveLength(2);
  expect(neighbours.vendorLog[1]).toMatch(/^GET \/contacts\?.*name=Ada.*Bearer valid-token-2$/);
  const { execution } = await client.getExecution(ctx, { historyId: result.historyId ?? 0n });
  expect(execution).toMatchObject({
    isSuccess: true,
    fieldsJson: jsonOf({ name: 'Ada' }),
    outputJson: jsonOf({ items: [{ name: 'Ada', seen: 'Bearer ***' }] }),
    info: { attempts: 2 },
  });
});

test('an execution says who called, and through which MCP server, in its answer, the history and the export', async () => {
  const called = { toolSlug: TOOL, fieldsJson };
  const { userId } = userOf(ctx);
  const rest = await client.executeTool(ctx, called);
  expect(rest.info).toMatchObject({ userId, source: ExecutionSource.REST });
  expect(rest.info?.mcpServerName).toBeUndefined();
  const mcp = await client.executeTool(ctx, { ...called, mcpServerName: 'Support' });
  const origin = { userId, source: ExecutionSource.MCP, mcpServerName: 'Support' };
  expect(mcp.info).toMatchObject(origin);
  const { execution } = await client.getExecution(ctx, { historyId: mcp.historyId ?? 0n });
  expect(execution?.info).toMatchObject(origin);
  const { items } = await client.listExecutions(ctx, { page: { top: 1 } });
  expect(items).toMatchObject([{ historyId: mcp.historyId, info: origin }]);
  const sent = await client.sendRequest(ctx, { connectionId: 7, method: 'GET', path: '/large' });
  expect(sent.info).toMatchObject({ userId, source: ExecutionSource.REST });
});

test('a client without a credential executes tools through an MCP server, and does nothing else', async () => {
  const caller: Caller = { kind: 'anonymousClient', accountId: 'mine', serverId: 'server-1' };
  const anonymous = testContext({ caller });
  const called = { toolSlug: TOOL, fieldsJson };
  const forbidden = { code: 'FORBIDDEN' };
  await expect(client.executeTool(anonymous, called)).rejects.toMatchObject(forbidden);
  expect(neighbours.vendorLog).toEqual([]);
  const {
    isSuccess,
    historyId = 0n,
    info,
  } = await client.executeTool(anonymous, {
    ...called,
    mcpServerName: 'Support',
  });
  expect(isSuccess).toBe(true);
  expect(info).toMatchObject({ source: ExecutionSource.MCP, mcpServerName: 'Support' });
  expect(info?.userId).toBeUndefined();
  const { execution } = await client.getExecution(ctx, { historyId });
  expect(execution?.info?.userId).toBeUndefined();
  const o = { peer, callerKeys: testCallerKeys, clock: systemClock };
  const [toolsets, approvals, files, workflows] = [
    createRpcClient(ToolsetService, o),
    createRpcClient(ApprovalService, o),
    createRpcClient(FileService, o),
    createRpcClient(WorkflowService, o),
  ];
  for (const refused of [
    client.getExecution(anonymous, { historyId }),
    client.listExecutions(anonymous, {}),
    client.sendRequest(anonymous, { connectionId: 7, method: 'GET', path: '/large' }),
    toolsets.listToolsets(anonymous, {}),
    approvals.listApprovals(anonymous, {}),
    files.getFile(anonymous, { fileId: 'file_1' }),
    workflows.listWorkflows(anonymous, {}),
  ])
    await expect(refused).rejects.toMatchObject(forbidden);
});

test('a large response is answered as its text, masked, and the history keeps its beginning', async () => {
  const result = await client.sendRequest(ctx, { connectionId: 7, method: 'GET', path: '/large' });
  const shown = JSON.parse(Buffer.from(result.outputJson).toString()) as unknown;
  expect(shown).toMatchObject({ status: 200, body: { token: '***', items: LARGE } });
  const { execution } = await client.getExecution(ctx, { historyId: result.historyId ?? 0n });
  const kept = String(execution && Buffer.from(execution.outputJson));
  expect(kept).toContain('item 0');
  expect(kept).toContain('[cut: ');
  expect(kept).not.toContain(VALID);
});

test('a vendor’s refusal is a result with the vendor’s own text, tokens masked, and a row', async () => {
  const result = await client.executeTool(ctx, { toolSlug: TOOL, connectionId: 8, fieldsJson });
  expect(result).toMatchObject({ isSuccess: false, errorMessage: 'Sign in again.' });
  const { items, totalCount } = await client.listExecutions(ctx, { connectionId: 8, isSuccess: false });
  expect(totalCount).toBe(1);
  expect(items[0]).toMatchObject({
    historyId: result.historyId,
    errorMessage: 'Sign in again.',
    info: { attempts: 1 },
  });
});

test('refusals call no vendor and leave no row', async () => {
  const before = await client.listExecutions(ctx, {});
  const refused = async (code: string, request: Parameters<typeof client.executeTool>[1]) =>
    expect(client.executeTool(ctx, request)).rejects.toMatchObject({ code });
  await refused('NOT_FOUND', { toolSlug: 'crm-nothing', fieldsJson });
  await refused('NOT_FOUND', { toolSlug: TOOL, connectionId: 10, fieldsJson });
  await refused('VALIDATION_ERROR', { toolSlug: TOOL, connectionId: 0, fieldsJson });
  await refused('VALIDATION_ERROR', { toolSlug: TOOL, toolsetId: '7', fieldsJson });
  await refused('CONNECTION_BLOCKED', { toolSlug: TOOL, connectionId: 9 });
  await refused('VALIDATION_ERROR', { toolSlug: TOOL, connectionId: 7 });
  await refused('INVALID_ENUM_VALUE', { toolSlug: TOOL, fieldsJson, filters: [{ field: 'name' }] });
  expect(neighbours.vendorLog).toEqual([]);
  expect((await client.listExecutions(ctx, {})).totalCount).toBe(before.totalCount);
});

test('a dry run shows the request with the token masked, sends nothing and leaves no row', async () => {
  const before = await client.listExecutions(ctx, {});
  const result = await client.executeTool(ctx, { toolSlug: TOOL, fieldsJson, dryRun: true });
  expect(result.historyId).toBeUndefined();
  expect(result).toMatchObject({ isSuccess: true, info: { attempts: 0 } });
  expect(new LazyJson(result.outputJson).parse()).toMatchObject({ method: 'GET' });
  expect(new LazyJson(result.outputJson).text).not.toContain(STALE);
  expect(neighbours.vendorLog).toEqual([]);
  expect((await client.listExecutions(ctx, {})).totalCount).toBe(before.totalCount);
});

test('the history of another account is empty, and its rows are NOT_FOUND', async () => {
  const { historyId } = await client.executeTool(ctx, { toolSlug: TOOL, fieldsJson });
  const other = testContext({ accountId: 'other' });
  expect(await client.listExecutions(other, {})).toMatchObject({ items: [], totalCount: 0 });
  await expect(client.getExecution(other, { historyId: historyId ?? 0n })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(client.getExecution(ctx, { historyId: 2n ** 62n })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a page out of range is VALIDATION_ERROR naming the member', async () => {
  await expect(client.listExecutions(ctx, { page: { offset: -1, top: 10 } })).rejects.toMatchObject({
    details: [{ field: 'offset' }],
  });
  await expect(client.listExecutions(ctx, { page: { offset: 0, top: 101 } })).rejects.toMatchObject({
    details: [{ field: 'top' }],
  });
});

test('executions are counted by UTC day for the calling account', async () => {
  const today = () => new Date().toISOString().slice(0, 10);
  const before = today();
  await client.executeTool(ctx, { toolSlug: TOOL, fieldsJson });
  // The test may run over midnight.
  const days = [before, today()];
  const { totalCount } = await client.listExecutions(ctx, {});
  const counted = await client.countExecutionsByDay(ctx, {});
  expect(counted.days.reduce((sum, { executionCount }) => sum + Number(executionCount), 0)).toBe(totalCount);
  expect(counted.days.filter(({ date }) => days.includes(date))).not.toEqual([]);
  const past = { to: timestampFromDate(new Date(Date.now() - 24 * 60 * 60_000)) };
  expect((await client.countExecutionsByDay(ctx, past)).days).toEqual([]);
  expect((await client.countExecutionsByDay(testContext({ accountId: 'other' }), {})).days).toEqual([]);
});

test('an account’s whole history is exported, masked as it is stored, and erased completely', async () => {
  const data = createRpcClient(AccountDataService, {
    peer,
    callerKeys: testCallerKeys,
    clock: systemClock,
  });
  const { totalCount } = await client.listExecutions(ctx, {});
  const exported = await exportAll(data, 'mine');
  expect(Object.keys(exported)).toEqual([
    'executions',
    'toolsets',
    'approvals',
    'files',
    'workflows',
    'detachedCalls',
  ]);
  expect(exported['executions']).toHaveLength(totalCount);
  expect(exported['executions']).toContainEqual(
    expect.objectContaining({
      historyId: expect.any(Number) as unknown,
      fields: { name: 'Ada' },
      isSuccess: true,
      output: { items: [{ name: 'Ada', seen: 'Bearer ***' }] },
      info: expect.objectContaining({ toolSlug: TOOL, connectionId: 7, mcpServerName: 'Support' }) as unknown,
    }),
  );
  expect(JSON.stringify(exported)).not.toMatch(new RegExp(`${STALE}|${VALID}`));
  await eraseAll(data, 'other');
  expect((await client.listExecutions(ctx, {})).totalCount).toBe(totalCount);
  await eraseAll(data, 'mine');
  expect((await client.listExecutions(ctx, {})).totalCount).toBe(0);
  expect(await eraseAll(data, 'mine')).toBe(1);
});

test('if the catalogue is unreachable, the call is UNAVAILABLE', async () => {
  const env = {
    MONGODB_URI: inject('mongodbUri'),
    NATS_URL: inject('natsUrl'),
    MONGODB_DATABASE: database,
    CALLER_CONTEXT_KEYS: testCallerKeysText,
    CATALOG_URL: 'http://127.0.0.1:1',
    PUBLIC_URL: 'http://127.0.0.1:8080',
    GATEWAY_URL: neighbours.gatewayUrl,
    CONNECTIONS_URL: neighbours.connectionsUrl,
    AGENTS_URL: neighbours.connectionsUrl,
    RPC_TRANSPORT: testTransport,
    LOG_LEVEL: 'silent',
  };
  const alone = await buildApp(loadConfig(toolsConfig, env));
  const alonePeer = testPeer('tools', alone);
  const lonely = createRpcClient(ExecutionService, {
    peer: alonePeer,
    callerKeys: testCallerKeys,
    clock: systemClock,
  });
  await expect(lonely.executeTool(ctx, { toolSlug: TOOL })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await alonePeer.close();
  await alone.close();
});
