import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CatalogueChangedSchema } from '@fairlead/contracts/catalog/v1/catalogue_events_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { startNatsServer } from '@fairlead/local-stores/nats-server';
import type { RunningNats } from '@fairlead/local-stores/nats-server';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { defineStream } from '@fairlead/service-kit/nats/streams';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testPeer, testTransport } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys, testCallerKeysText } from '@fairlead/service-kit/testing/rpc';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { RpcApp } from '@fairlead/service-kit/lifecycle/start-service';
import { patientNats } from '@fairlead/service-kit/testing/patient-nats';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { buildApp } from './app.ts';
import { toolsConfig } from './config.ts';
import { authenticationMethod, connectorHead, toolDefinition } from './testing/fixtures.ts';
import { startNeighbours } from './testing/neighbours.ts';
import type { Neighbours } from './testing/neighbours.ts';

const catalogueChanged = defineEvent(CatalogueChangedSchema);
const database = `test_${randomBase62(16)}`;
const ctx = testContext({ accountId: 'mine' });
/** The tools in the test's catalogue; modified in place. */
const tools = [toolDefinition()];
let directory: string;
let server: RunningNats;
let catalog: Nats;
let neighbours: Neighbours;
let app: RpcApp;
let client: RpcClient<typeof ExecutionService>;
let close: () => Promise<void>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-tools-'));
  server = await startNatsServer({ dataDirectory: directory });
  const nats = await connectNats({
    url: new Secret(server.url),
    name: 'catalog',
    log: createLogger({ service: 'test', level: 'silent' }),
    streams: [
      defineStream({
        name: 'CATALOGUE',
        description: 'As the catalog service declares it',
        events: [catalogueChanged],
        retention: 'limits',
        discard: 'old',
        maxAgeMs: 3_600_000,
        maxBytes: 1_000_000,
        duplicateWindowMs: 60_000,
      }),
    ],
  });
  catalog = patientNats(nats);
  neighbours = await startNeighbours({
    callerKeys: testCallerKeys,
    tools,
    connector: connectorHead({ authenticationMethods: [authenticationMethod()] }),
    connections: [{ id: 7, accountId: 'mine', authenticationId: 1, isLicensed: true, accessTokens: ['t'] }],
    validToken: 't',
  });
  app = await buildApp(
    loadConfig(toolsConfig, {
      MONGODB_URI: inject('mongodbUri'),
      MONGODB_DATABASE: database,
      NATS_URL: server.url,
      CALLER_CONTEXT_KEYS: testCallerKeysText,
      CATALOG_URL: neighbours.catalogUrl,
      PUBLIC_URL: 'http://127.0.0.1:8080',
      GATEWAY_URL: neighbours.gatewayUrl,
      CONNECTIONS_URL: neighbours.connectionsUrl,
      AGENTS_URL: neighbours.connectionsUrl,
      RPC_TRANSPORT: testTransport,
      LOG_LEVEL: 'silent',
    }),
  );
  const peer = testPeer('tools', app);
  client = createRpcClient(ExecutionService, { peer, callerKeys: testCallerKeys, clock: systemClock });
  close = () => peer.close();
});
afterAll(async () => {
  await close();
  await app.close();
  await neighbours.close();
  await catalog.close();
  await server.stop();
  await rm(directory, { recursive: true });
  const mongo = await MongoClient.connect(inject('mongodbUri'));
  await mongo.db(database).dropDatabase();
  await mongo.close();
});

/** The version of the tool that an execution would use. */
async function versionSeen(): Promise<string | undefined> {
  const { toolSlug } = toolDefinition();
  const { info } = await client.executeTool(ctx, {
    toolSlug,
    fieldsJson: membersOf({ name: 'Ada' }),
    dryRun: true,
  });
  return info?.toolVersion;
}

/** Changes the tool without publishing it; returns the new version. */
function changeTool(): string {
  const version = `1.0.${Math.round(performance.now())}-${randomBase62(4)}`;
  tools[0] = toolDefinition({ version });
  return version;
}

/** Resolves once the service uses its cache. */
async function untilCached(): Promise<void> {
  await expect
    .poll(async () => {
      await versionSeen();
      const version = changeTool();
      return (await versionSeen()) !== version;
    })
    .toBe(true);
}

test('a changed tool is executed as soon as the catalogue publishes the change', async () => {
  await untilCached();
  await catalog.publishToStream(catalogueChanged, { accountId: 'mine' });
  await expect.poll(versionSeen).toBe(tools[0]?.version);
  const version = changeTool();
  await catalog.publishToStream(catalogueChanged, {});
  await expect.poll(versionSeen).toBe(version);
});

test('a change that was not published is seen too', async () => {
  await untilCached();
  await expect.poll(versionSeen).toBe(tools[0]?.version);
});

test('with nats-server killed every call sees the current state, and once it is back the service caches again', async () => {
  await untilCached();
  process.kill(server.pid, 'SIGKILL');
  await server.exited;
  // Until the loss is noticed, entries are cached for two seconds, so one current version proves nothing.
  await expect
    .poll(async () => {
      await versionSeen();
      const version = changeTool();
      return (await versionSeen()) === version;
    })
    .toBe(true);
  for (let n = 0; n < 3; n += 1) {
    const version = changeTool();
    expect(await versionSeen()).toBe(version);
  }
  server = await startNatsServer({ dataDirectory: directory, port: server.port });
  await untilCached();
  await catalog.publishToStream(catalogueChanged, { accountId: 'mine' });
  await expect.poll(versionSeen).toBe(tools[0]?.version);
});
