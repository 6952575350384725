import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { TriggerSchema } from '@fairlead/contracts/triggers/v1/trigger_pb';
import { TriggerService } from '@fairlead/contracts/triggers/v1/trigger_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { call } from '@fairlead/rest-kit/testing/edge';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGatewayEdge } from '../../testing/edge.ts';
import { MADE_AT } from '@fairlead/rest-records/testing/messages';
import { startRemote } from '../../testing/remote.ts';
import { createTrigger } from './create-trigger.ts';
import { updateTrigger } from './update-trigger.ts';

const AT = timestampFromDate(new Date(MADE_AT));
const TRIGGER = create(TriggerSchema, {
  id: 'trg_1',
  triggerTypeSlug: 'crm-poll',
  connectionId: 7,
  configurationJson: Buffer.from('{}'),
  createdAt: AT,
  updatedAt: AT,
});
/** The edge gives routes that only touch our own data next to no time. */
const DATA_TIMEOUT_MS = 1;

/** The simulated behaviour of the application. */
let vendor: () => void;
let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const answer = () => {
    vendor();
    return { trigger: TRIGGER };
  };
  const remote = await startRemote((router) =>
    router.service(TriggerService, { createTrigger: answer, updateTrigger: answer }),
  );
  edge = await startGatewayEdge({
    routes: [createTrigger, updateTrigger],
    services: remote.services,
    dataTimeoutMs: DATA_TIMEOUT_MS,
  });
  close = async () => {
    await edge.close();
    await remote.close();
  };
});
afterAll(() => close());
beforeEach(() => {
  vendor = () => undefined;
});

describe.each([
  ['POST', '/v1/triggers', { name: 'New', triggerTypeSlug: 'crm-poll', connectionId: 7 }, 201],
  ['PATCH', '/v1/triggers/trg_1', { isEnabled: true }, 200],
] as const)('%s %s', (method, path, json, status) => {
  const send = () => call(edge, method, path, { json });

  test('has the time of a call of an application', async () => {
    expect((await send()).status).toBe(status);
  });

  test('is CONNECTION_BLOCKED while the connection has no licence', async () => {
    vendor = () => {
      throw new ApiError('CONNECTION_BLOCKED', 'Connection 7 has no licence.');
    };
    const answer = await send();
    expect([answer.status, answer.body['errorCode']]).toEqual([403, 'CONNECTION_BLOCKED']);
  });
});
