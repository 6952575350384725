import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { ExecutionSchema } from '@fairlead/contracts/tools/v1/execution_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { TriggerSchema } from '@fairlead/contracts/triggers/v1/trigger_pb';
import { TriggerService } from '@fairlead/contracts/triggers/v1/trigger_service_pb';
import { GOOD_KEY } from '@fairlead/rest-kit/testing/edge';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGatewayEdge } from '../testing/edge.ts';
import { connectionMessage, executionInfoMessage } from '@fairlead/rest-records/testing/messages';
import { startRemote } from '../testing/remote.ts';
import { routeTable } from './route-table.ts';

/** JSON whose text would change if it were parsed and serialized again. */
const TEXT = '{"n":12345678901234567890, "e":1e400,"n":1.0}';
const json = Buffer.from(TEXT);
const at = timestampFromDate(new Date('2026-11-28T10:00:00.000Z'));
const times = { createdAt: at, updatedAt: at };

let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const remote = await startRemote((router) => {
    router.service(ConnectionService, {
      listConnections: () => ({
        items: [{ ...connectionMessage(), fieldsJson: json, metadataJson: json }],
        totalCount: 1,
      }),
    });
    router.service(TriggerService, {
      listTriggers: () => ({
        items: [create(TriggerSchema, { id: 'trg_1', configurationJson: json, ...times })],
        totalCount: 1,
      }),
    });
    router.service(ExecutionService, {
      listExecutions: () => ({
        items: [
          create(ExecutionSchema, {
            historyId: 1n,
            isSuccess: true,
            outputJson: json,
            fieldsJson: json,
            info: executionInfoMessage(),
            ...times,
          }),
        ],
        totalCount: 1,
      }),
    });
  });
  edge = await startGatewayEdge({ routes: routeTable, services: remote.services });
  close = () => remote.close();
});
afterAll(async () => {
  await edge.close();
  await close();
});

test.each([
  ['/v1/connections', [`"fields":${TEXT}`, `"metadata":${TEXT}`]],
  ['/admin/v1/connections', [`"fields":${TEXT}`, `"metadata":${TEXT}`]],
  ['/v1/triggers', [`"configuration":${TEXT}`]],
  ['/v1/executions', [`"fields":${TEXT}`, `"output":${TEXT}`]],
])('JSON of the records of %s is sent as its service has it, byte for byte', async (path, parts) => {
  const response = await fetch(`${edge.url}${path}`, { headers: GOOD_KEY });
  expect(response.status).toBe(200);
  const text = await response.text();
  for (const part of parts) expect(text).toContain(part);
});
