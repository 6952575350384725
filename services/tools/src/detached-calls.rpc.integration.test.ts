import {
  DetachedCallService,
  DetachedCallState,
} from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import { testContext } from '@fairlead/service-kit/testing/context';
import { jsonOf } from '@fairlead/service-kit/testing/json-bytes';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { testServiceEnvironment } from '@fairlead/service-kit/testing/service';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { buildApp } from './app.ts';
import { toolsConfig } from './config.ts';
import { connectorHead, oauthMethod, toolDefinition } from './testing/fixtures.ts';
import { startNeighbours } from './testing/neighbours.ts';
import type { Neighbours } from './testing/neighbours.ts';

const TOKEN = 'valid-token-1';
const SLOW = 'crm-slow';
const HOUR = 3_600_000;
const environment = testServiceEnvironment({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') });
const ctx = testContext({ accountId: 'mine' });
const serverId = '01a22541-0000-4000-8000-000000000001';
let respond = Promise.withResolvers<unknown>();

let neighbours: Neighbours;
let one: Awaited<ReturnType<typeof startReplica>>;
let other: Awaited<ReturnType<typeof startReplica>>;

async function startReplica(env: Parameters<typeof loadConfig>[1]) {
  const app = await buildApp(loadConfig(toolsConfig, env));
  const peer = testPeer('tools', app);
  const o = { peer, callerKeys: testCallerKeys, clock: systemClock };
  const calls = createRpcClient(DetachedCallService, o);
  return { app, peer, calls, executions: createRpcClient(ExecutionService, o) };
}

beforeAll(async () => {
  const tool = toolDefinition();
  const { execution } = tool;
  if (execution.type !== 'http') throw new Error('the tool of the tests is called over HTTP');
  const slow = {
    ...tool,
    toolSlug: SLOW,
    execution: { ...execution, request: { ...execution.request, url: '/slow' } },
  };
  neighbours = await startNeighbours({
    callerKeys: testCallerKeys,
    tools: [slow],
    connector: connectorHead({ authenticationMethods: [oauthMethod()] }),
    connections: [{ id: 7, accountId: 'mine', authenticationId: 0, isLicensed: true, accessTokens: [TOKEN] }],
    validToken: TOKEN,
    responses: {
      get 'GET /slow'() {
        return respond.promise;
      },
    },
  });
  const env = {
    ...environment,
    CATALOG_URL: neighbours.catalogUrl,
    GATEWAY_URL: neighbours.gatewayUrl,
    CONNECTIONS_URL: neighbours.connectionsUrl,
    AGENTS_URL: neighbours.connectionsUrl,
    EGRESS_ALLOW: '127.0.0.1',
  };
  [one, other] = await Promise.all([startReplica(env), startReplica(env)]);
});
afterAll(async () => {
  respond.resolve({});
  for (const { app, peer } of [one, other]) {
    await peer.close();
    await app.close();
  }
  await neighbours.close();
  const mongo = await MongoClient.connect(inject('mongodbUri'));
  await mongo.db(environment.MONGODB_DATABASE).dropDatabase();
  await mongo.close();
});

function slowCall(waitMs: number) {
  respond = Promise.withResolvers();
  const call = { toolSlug: SLOW, fieldsJson: membersOf({ name: 'Ada' }), mcpServerName: 'Support' };
  return { serverId, toolName: 'slow', call, waitMs };
}

async function detachCall(): Promise<string> {
  const { answer } = await one.calls.startCall(ctx, slowCall(0));
  if (answer.case !== 'call') throw new Error(`got ${answer.case}`);
  return answer.value.callId;
}

test('a call that ends in time has its result at once, and is in no list', async () => {
  const request = slowCall(HOUR);
  respond.resolve({ items: [1] });
  const { answer } = await one.calls.startCall(ctx, request);
  expect(answer).toMatchObject({ case: 'result', value: { outputJson: jsonOf({ items: [1] }) } });
  expect((await one.calls.listCalls(ctx, { serverId, limit: 10 })).calls).toEqual([]);
});

test('a call that outlives its request is read on another replica as soon as it ends, and has its row', async () => {
  const callId = await detachCall();
  const waiting = other.calls.getCall(ctx, { serverId, callId, waitMs: HOUR });
  respond.resolve({ items: ['late'] });
  const { call } = await waiting;
  expect(call).toMatchObject({
    state: DetachedCallState.ENDED,
    outcome: { outcome: { case: 'result', value: { outputJson: jsonOf({ items: ['late'] }) } } },
  });
  const { items } = await other.executions.listExecutions(ctx, { toolSlug: SLOW });
  expect(items[0]).toMatchObject({ outputJson: jsonOf({ items: ['late'] }) });
  const { calls, hasMore } = await other.calls.listCalls(ctx, { serverId, limit: 10 });
  expect([calls, hasMore]).toMatchObject([[{ callId, state: DetachedCallState.ENDED }], false]);
  expect(calls[0]?.outcome).toBeUndefined();
});

test('a call that is cancelled on another replica ends, down to the vendor', async () => {
  neighbours.vendorLog.length = 0;
  const callId = await detachCall();
  await expect.poll(() => neighbours.vendorLog).toHaveLength(1);
  const cancelled = await other.calls.cancelCall(ctx, { serverId, callId });
  expect(cancelled?.call?.state).toBe(DetachedCallState.CANCELLED);
  // The vendor has not answered; the row exists because the call was aborted.
  const failed = { toolSlug: SLOW, isSuccess: false };
  await expect.poll(async () => (await one.executions.listExecutions(ctx, failed)).items.length).toBe(1);
  const { call } = await one.calls.getCall(ctx, { serverId, callId, waitMs: HOUR });
  expect(call?.state).toBe(DetachedCallState.CANCELLED);
});

test('nobody else sees a call, and it belongs to its server', async () => {
  const callId = await detachCall();
  const get = (as: typeof ctx, of = serverId) => one.calls.getCall(as, { serverId: of, callId });
  for (const as of [testContext({ accountId: 'mine' }), testContext({ accountId: 'other' })])
    await expect(get(as)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const elsewhere = '01a22541-0000-4000-8000-000000000002';
  await expect(get(ctx, elsewhere)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await one.calls.cancelCall(ctx, { serverId, callId });
});

test('a replica that stops waits for its calls', async () => {
  const callId = await detachCall();
  const closing = one.app.close();
  respond.resolve({ items: ['in time'] });
  await closing;
  const { call } = await other.calls.getCall(ctx, { serverId, callId });
  expect(call?.state).toBe(DetachedCallState.ENDED);
});
