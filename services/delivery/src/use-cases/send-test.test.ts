import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { outcomeOfStatus } from '../domain/outcome.ts';
import type { SignedRequest } from '../ports/sender.ts';
import { target } from '../testing/deliveries.ts';
import { sendTest } from './send-test.ts';

const wanted = { destinationId: 'dst_1', triggerId: 'trg_1', triggerType: 'schedule' };

function world(o: Partial<Parameters<typeof sendTest>[0]> = {}) {
  const sent: SignedRequest[] = [];
  const deps: Parameters<typeof sendTest>[0] = {
    targets: { read: () => Promise.resolve(target({ isEnabled: false })) },
    send(request) {
      sent.push(request);
      return Promise.resolve(outcomeOfStatus(500, 3));
    },
    clock: new ManualClock(new Date('2026-11-22T10:00:00.000Z')),
    ...o,
  };
  return { deps, sent };
}

it('sends an event of the trigger with a payload that says that it is a test, also while disabled', async () => {
  const { deps, sent } = world();
  const outcome = await sendTest(deps, testContext({ accountId: 'acc_1' }), wanted);
  expect(outcome).toEqual({ verdict: 'retryable', statusCode: 500, error: 'http_500', durationMs: 3 });
  const [request] = sent;
  expect(request).toMatchObject({ target: { id: 'dst_1' }, triggerId: 'trg_1', attempt: 1 });
  expect(JSON.parse(Buffer.from(request?.body ?? []).toString())).toEqual({
    id: request?.eventId,
    type: 'schedule',
    trigger_id: 'trg_1',
    occurred_at: '2026-11-22T10:00:00.000Z',
    payload: { test: true },
    payload_truncated: false,
    payload_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown,
  });
  expect(request?.eventId).toMatch(/^te_[0-9A-Za-z]{22}$/);
});

it('sends nothing to the destination of another account', async () => {
  const { deps, sent } = world();
  await expect(sendTest(deps, testContext({ accountId: 'acc_2' }), wanted)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(sent).toEqual([]);
});

it('a destination that is deleted while it connects is none', async () => {
  const reads = [target(), undefined];
  const { deps } = world({
    targets: { read: () => Promise.resolve(reads.shift()) },
    send: ({ renew }) => renew().then((found) => found && outcomeOfStatus(200, 1)),
  });
  await expect(sendTest(deps, testContext({ accountId: 'acc_1' }), wanted)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
