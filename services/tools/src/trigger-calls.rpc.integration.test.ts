import type { MessageInitShape } from '@bufbuild/protobuf';
import { compileConnectors } from '@fairlead/connector-model/compile';
import type { TriggerTypeDefinition } from '@fairlead/connector-model/model';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { TriggerCallService } from '@fairlead/contracts/tools/v1/trigger_call_service_pb';
import type { TriggerCallSchema } from '@fairlead/contracts/tools/v1/trigger_call_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import type { Caller } from '@fairlead/service-kit/context/caller';
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

const STALE = 'stale-token-1';
const VALID = 'valid-token-2';
const CREATED = 'sandbox-crm-contact-created';
const UPDATED = 'sandbox-crm-deal-updated';
const URL = 'https://fairlead.test/hooks/secret-token-of-the-address';
const AT = '2026-03-01T10:00:00.000Z';
const database = `test_${randomBase62(16)}`;

let neighbours: Neighbours;
let app: RpcApp;
let peer: RpcPeer;
let client: RpcClient<typeof TriggerCallService>;
let executions: RpcClient<typeof ExecutionService>;
const user = testContext({ accountId: 'mine' });
/** A run without a waiting caller. */
const caller: Caller = { kind: 'serviceForAccount', service: 'triggers', accountId: 'mine' };
const run = { ...user, caller };

/** Trigger types of the bundled vendor. */
async function bundledTypes(): Promise<readonly TriggerTypeDefinition[]> {
  const compiled = await compileConnectors('connectors');
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.connectors.find(({ slug }) => slug === 'sandbox-crm')?.triggerTypes ?? [];
}

function call(slug: string, connectionId = 7): { readonly call: MessageInitShape<typeof TriggerCallSchema> } {
  return {
    call: { triggerTypeSlug: slug, connectionId, configurationJson: Buffer.from('{"everySeconds":10}') },
  };
}

beforeAll(async () => {
  const triggerTypes = await bundledTypes();
  neighbours = await startNeighbours({
    callerKeys: testCallerKeys,
    tools: [],
    triggerTypes: [...triggerTypes, ...triggerTypes.map((type) => ({ ...type, slug: `other-${type.slug}` }))],
    connector: connectorHead({ authenticationMethods: [oauthMethod()], errorMessagePointers: ['/message'] }),
    connections: [
      { id: 7, accountId: 'mine', authenticationId: 0, isLicensed: true, accessTokens: [STALE, VALID] },
      { id: 8, accountId: 'mine', authenticationId: 0, isLicensed: true, accessTokens: [STALE] },
      { id: 9, accountId: 'mine', authenticationId: 0, isLicensed: false, accessTokens: [VALID] },
      { id: 10, accountId: 'other', authenticationId: 0, isLicensed: true, accessTokens: [VALID] },
    ],
    validToken: VALID,
    responses: {
      'GET /contacts': { items: [{ id: 'con_1', createdAt: AT, name: 'Ada' }] },
      'POST /webhooks': { id: 'whk_7' },
      'GET /webhooks': {
        items: [
          { id: 'whk_1', url: 'https://else.test' },
          { id: 'whk_7', url: URL },
        ],
      },
    },
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
  client = createRpcClient(TriggerCallService, o);
  executions = createRpcClient(ExecutionService, o);
});
afterAll(async () => {
  await peer.close();
  await app.close();
  await neighbours.close();
  const mongo = await MongoClient.connect(inject('mongodbUri'));
  await mongo.db(database).dropDatabase();
  await mongo.close();
});

test('a poll is seeded and read, for a user and for a run that nobody waits for, with a renewed token', async () => {
  const seeded = await client.seedPoll(user, call(CREATED));
  expect(seeded.outcome).toMatchObject({
    case: 'cursor',
    value: { since: '2026-03-01T09:59:30.000Z', known: [`con_1@${Date.parse(AT)}`] },
  });
  const { outcome } = await client.readPoll(run, { ...call(CREATED), cursor: { known: [] } });
  expect(outcome).toMatchObject({
    case: 'read',
    value: { items: [{ key: `con_1@${Date.parse(AT)}` }], hasMore: false, gaps: [] },
  });
  const [item] = outcome.case === 'read' ? outcome.value.items : [];
  expect(JSON.parse(new TextDecoder().decode(item?.payload))).toEqual({
    id: 'con_1',
    createdAt: AT,
    name: 'Ada',
  });
  expect(neighbours.vendorLog.some((line) => line.includes(STALE))).toBe(true);
});

test('a webhook is registered, found and removed', async () => {
  const registered = await client.registerWebhook(run, {
    ...call(UPDATED),
    url: URL,
    secret: 's3cret-of-it',
  });
  expect(registered.outcome).toEqual({ case: 'registrationId', value: 'whk_7' });
  const found = await client.findWebhooks(run, { ...call(UPDATED), url: URL });
  expect(found.outcome).toMatchObject({ case: 'registrations', value: { ids: ['whk_7'] } });
  expect((await client.removeWebhook(run, { ...call(UPDATED), registrationId: 'whk_7' })).failure).toBe(
    undefined,
  );
  expect(neighbours.vendorLog).toContain(`DELETE /webhooks/whk_7 Bearer ${VALID}`);
});

test('calls for triggers leave no executions', async () => {
  await client.readPoll(user, { ...call(CREATED), cursor: { known: [] } });
  await client.findWebhooks(user, { ...call(UPDATED), url: URL });
  expect(await executions.listExecutions(user, {})).toMatchObject({ items: [], totalCount: 0 });
});

test('what the vendor or the credential refuses is a failure with its words', async () => {
  const { outcome } = await client.seedPoll(user, call(CREATED, 8));
  expect(outcome).toMatchObject({ case: 'failure', value: { message: 'Sign in again.' } });
});

test.each([
  ['an unknown trigger type', call('no-such-type'), 'NOT_FOUND'],
  ['an unknown connection', call(CREATED, 77), 'NOT_FOUND'],
  ["another account's connection", call(CREATED, 10), 'NOT_FOUND'],
  ['a connection of another application', call(`other-${CREATED}`), 'WRONG_APPLICATION'],
  ['a connection without a licence', call(CREATED, 9), 'CONNECTION_BLOCKED'],
  ['a type that is not polled', call(UPDATED), 'VALIDATION_ERROR'],
])('%s is refused', async (_what, request, code) => {
  await expect(client.seedPoll(user, request)).rejects.toMatchObject({ code });
});
