import { startEverythingServer } from '@fairlead/connector-runtime/testing/everything-server';
import type { EverythingServer } from '@fairlead/connector-runtime/testing/everything-server';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { UpstreamService } from '@fairlead/contracts/tools/v1/upstream_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { randomBase62 } from '@fairlead/service-kit/ids';
import type { RpcApp } from '@fairlead/service-kit/lifecycle/start-service';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testPeer, testTransport } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys, testCallerKeysText } from '@fairlead/service-kit/testing/rpc';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { buildApp } from './app.ts';
import { toolsConfig } from './config.ts';
import { connectorHead, oauthMethod } from './testing/fixtures.ts';
import { startNeighbours } from './testing/neighbours.ts';
import type { Neighbours } from './testing/neighbours.ts';

/** The reference server returns this name in one of its answers. */
const TOKEN = 'Engineering';
const database = `test_${randomBase62(16)}`;
const user = testContext({ accountId: 'mine' });

let server: EverythingServer;
let neighbours: Neighbours;
let app: RpcApp;
let peer: RpcPeer;
let client: RpcClient<typeof UpstreamService>;
let executions: RpcClient<typeof ExecutionService>;

beforeAll(async () => {
  server = await startEverythingServer();
  const connection = { accountId: 'mine', authenticationId: 0, isLicensed: true, accessTokens: [TOKEN] };
  neighbours = await startNeighbours({
    callerKeys: testCallerKeys,
    tools: [],
    baseUrl: server.url,
    connector: connectorHead({ kind: 'MCPClient', authenticationMethods: [oauthMethod()] }),
    connections: [
      { ...connection, id: 7 },
      { ...connection, id: 8, accessTokens: [] },
      { ...connection, id: 9, isLicensed: false },
      { ...connection, id: 10, accountId: 'other' },
    ],
    validToken: TOKEN,
  });
  app = await buildApp(
    loadConfig(toolsConfig, {
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
    }),
  );
  peer = testPeer('tools', app);
  const o = { peer, callerKeys: testCallerKeys, clock: systemClock };
  client = createRpcClient(UpstreamService, o);
  executions = createRpcClient(ExecutionService, o);
});
afterAll(async () => {
  await peer.close();
  await app.close();
  await neighbours.close();
  await server.close();
  const mongo = await MongoClient.connect(inject('mongodbUri'));
  await mongo.db(database).dropDatabase();
  await mongo.close();
});

function call(method: string, params: object, connectionId = 7) {
  return { connectionId, method, paramsJson: Buffer.from(JSON.stringify(params)) };
}

function json(bytes: Uint8Array | undefined): unknown {
  return JSON.parse(Buffer.from(bytes ?? []).toString());
}

test('the lists of a server are read, and leave no execution', async () => {
  const { outcome } = await client.readLists(user, { connectionId: 7 });
  const lists = outcome.case === 'lists' ? outcome.value : undefined;
  expect(lists).toMatchObject({
    hasPrompts: true,
    hasResources: true,
    hasCompletions: true,
    hasSubscriptions: true,
  });
  expect(json(lists?.promptsJson)).toContainEqual(expect.objectContaining({ name: 'simple-prompt' }));
  expect(json(lists?.resourcesJson)).toContainEqual(
    expect.objectContaining({ uri: 'demo://resource/static/document/features.md' }),
  );
  expect(json(lists?.resourceTemplatesJson)).toHaveLength(2);
  expect(await executions.listExecutions(user, {})).toMatchObject({ totalCount: 0 });
});

test('a request passes with its result or the error of the server, secrets masked', async () => {
  const { outcome } = await client.callMethod(user, call('prompts/get', { name: 'simple-prompt' }));
  expect(outcome.case).toBe('resultJson');
  expect(json(outcome.case === 'resultJson' ? outcome.value : undefined)).toMatchObject({
    messages: [{ role: 'user' }],
  });
  const unknown = await client.callMethod(user, call('resources/read', { uri: 'demo://none' }));
  expect(unknown.outcome).toMatchObject({ case: 'error', value: { code: -32_602 } });
  const ref = { type: 'ref/prompt', name: 'completable-prompt' };
  const argument = { name: 'department', value: '' };
  const masked = await client.callMethod(user, call('completion/complete', { ref, argument }));
  expect(json(masked.outcome.case === 'resultJson' ? masked.outcome.value : undefined)).toMatchObject({
    completion: { values: ['***', 'Sales', 'Marketing', 'Support'] },
  });
});

test('a request for a client ends with its answer', async () => {
  const messages: unknown[] = [];
  const request = { call: call('prompts/get', { name: 'simple-prompt' }), client: {} };
  for await (const { message } of client.callMethodInteractively(user, request)) messages.push(message);
  expect(messages).toMatchObject([{ case: 'result', value: { outcome: { case: 'resultJson' } } }]);
  const refused = client.callMethodInteractively(user, {})[Symbol.asyncIterator]().next();
  await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'call' }] });
});

test('a connection without a credential is a failure that says so', async () => {
  const { outcome } = await client.readLists(user, { connectionId: 8 });
  expect(outcome).toMatchObject({
    case: 'failure',
    value: { message: 'Sign in again.', isUnauthorized: true },
  });
});

test.each([
  ['an unknown connection', call('prompts/get', {}, 77), 'NOT_FOUND'],
  ["another account's connection", call('prompts/get', {}, 10), 'NOT_FOUND'],
  ['a connection without a licence', call('prompts/get', {}, 9), 'CONNECTION_BLOCKED'],
  ['a method that does not pass', call('tools/call', {}), 'VALIDATION_ERROR'],
])('%s is refused', async (_what, request, code) => {
  await expect(client.callMethod(user, request)).rejects.toMatchObject({ code });
});
