import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { loadConfig } from '@fairlead/service-kit/config';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { interoperabilitySuite } from '@fairlead/service-kit/testing/interoperability-suite';
import { testCallerKeys, testCallerKeysText } from '@fairlead/service-kit/testing/rpc';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, inject } from 'vitest';
import type { RpcApp } from '@fairlead/service-kit/lifecycle/start-service';
import { buildApp } from './app.ts';
import { toolsConfig } from './config.ts';

const database = `test_${randomBase62(16)}`;
let app: RpcApp;

beforeAll(async () => {
  const env = {
    MONGODB_URI: inject('mongodbUri'),
    MONGODB_DATABASE: database,
    NATS_URL: inject('natsUrl'),
    CALLER_CONTEXT_KEYS: testCallerKeysText,
    CATALOG_URL: 'http://127.0.0.1:1',
    PUBLIC_URL: 'http://127.0.0.1:8080',
    GATEWAY_URL: 'http://127.0.0.1:1',
    CONNECTIONS_URL: 'http://127.0.0.1:1',
    AGENTS_URL: 'http://127.0.0.1:1',
    LOG_LEVEL: 'silent',
  };
  app = await buildApp(loadConfig(toolsConfig, env));
});
afterAll(async () => {
  await app.close();
  const mongo = await MongoClient.connect(inject('mongodbUri'));
  await mongo.db(database).dropDatabase();
  await mongo.close();
});

interoperabilitySuite({
  name: 'tools',
  server: () => ({ grpcUrl: app.grpcUrl, callerKeys: testCallerKeys }),
  services: [ExecutionService],
  answered: { method: ExecutionService.method.listExecutions, request: {} },
  refused: {
    method: ExecutionService.method.getExecution,
    request: { historyId: 1n },
    code: 'NOT_FOUND',
  },
});
