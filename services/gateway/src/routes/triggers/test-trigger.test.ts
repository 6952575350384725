import { create } from '@bufbuild/protobuf';
import { DestinationService } from '@fairlead/contracts/delivery/v1/destination_service_pb';
import { TriggerSchema } from '@fairlead/contracts/triggers/v1/trigger_pb';
import { TriggerService } from '@fairlead/contracts/triggers/v1/trigger_service_pb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TriggerTestVerdict } from '../../limits/limits.ts';
import { call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from '../../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { startRemote } from '../../testing/remote.ts';
import { testTrigger } from './test-trigger.ts';

/** The calls, in order. */
let log: unknown[] = [];
let verdict: TriggerTestVerdict = { isAllowed: true };
let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const remote = await startRemote((router) =>
    router
      .service(TriggerService, {
        getTrigger: ({ id }) => ({
          trigger: create(TriggerSchema, {
            id,
            triggerTypeSlug: 'schedule',
            destinationIds: id === 'trg_bare' ? [] : ['dst_deleted', 'dst_b', 'dst_a'],
          }),
        }),
      })
      .service(DestinationService, {
        findDestinations: ({ ids }) => ({ ids: ids.filter((id) => id !== 'dst_deleted').toSorted() }),
        sendTest({ destinationId, triggerId, triggerType }) {
          log.push([destinationId, triggerId, triggerType]);
          return destinationId === 'dst_a'
            ? { delivered: false, error: 'timeout' }
            : { delivered: true, statusCode: 204 };
        },
      }),
  );
  const limits = {
    takeTriggerTest({ accountId }: { readonly accountId: string }) {
      log.push(accountId);
      return Promise.resolve(verdict);
    },
  };
  edge = await startGatewayEdge({ routes: [testTrigger], services: { ...remote.services, limits } });
  close = async () => {
    await edge.close();
    await remote.close();
  };
});
afterAll(() => close());
beforeEach(() => {
  log = [];
  verdict = { isAllowed: true };
});

const send = (id: string, query = '') => call(edge, 'POST', `/v1/triggers/${id}/test${query}`);

test('the first destination that exists gets it, once the budget has allowed it', async () => {
  const { status, body } = await send('trg_1');
  expect(status).toBe(200);
  expect(body).toMatchObject({ delivered: true, status_code: 204, error: null });
  expect(log).toEqual(['acc_test', ['dst_b', 'trg_1', 'schedule']]);
});

test('the destination asked for gets it; a failure is a result', async () => {
  const { status, body } = await send('trg_1', '?destinationId=dst_a');
  expect(status).toBe(200);
  expect(body).toMatchObject({ delivered: false, status_code: null, error: 'timeout' });
  expect(log).toEqual(['acc_test', ['dst_a', 'trg_1', 'schedule']]);
});

test.each([
  ['trg_bare', '', 409, 'NO_DESTINATION'],
  ['trg_bare', '?destinationId=dst_a', 404, 'NOT_FOUND'],
  ['trg_1', '?destinationId=dst_deleted', 404, 'NOT_FOUND'],
  ['trg_1', '?destinationId=dst_c', 404, 'NOT_FOUND'],
])('%s%s is refused and uses no budget', async (id, query, status, errorCode) => {
  const answer = await send(id, query);
  expect([answer.status, answer.body['errorCode']]).toEqual([status, errorCode]);
  expect(log).toEqual([]);
});

test('beyond the budget nothing is sent', async () => {
  verdict = { isAllowed: false, retryAfterSeconds: 17 };
  const { status, headers, body } = await send('trg_1');
  expect([status, body['errorCode'], headers.get('retry-after')]).toEqual([429, 'RATE_LIMIT_EXCEEDED', '17']);
  expect(log).toEqual(['acc_test']);
});
