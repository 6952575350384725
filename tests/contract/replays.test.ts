import { settledAttempt } from '@fairlead-services/delivery/testing/events';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectList, get, post } from './support/api.ts';
import { openLedger } from './support/ledger.ts';
import type { Ledger } from './support/ledger.ts';
import { attemptsAfter, detail, hookTo, SOON, startReceiver } from './support/receiver.ts';
import type { Receiver } from './support/receiver.ts';
import { row } from './support/row.ts';

const events = '/v1/triggers/events';
const HOUR_MS = 3_600_000;

let receiver: Receiver;
let ledger: Ledger;
beforeAll(async () => {
  ledger = await openLedger();
  receiver = await startReceiver();
});
afterAll(async () => {
  await ledger.close();
  receiver.close();
});

const replay = async (id: string) => expectStatus(await post(`${events}/${id}/replay`), 202).body;
const failures = (count: number) =>
  Array.from({ length: count }, (_, at) => settledAttempt({ attempt: at + 1 }));

describe('A replay', () => {
  row('event-delivery.5', 'of what was dead-lettered is one more attempt, and no new ladder', async () => {
    const { id: destination, requests } = await receiver.destinationOf(503);
    const id = await ledger.store({
      capturedAt: new Date(),
      states: { [destination]: 'deadLettered' },
      attempts: [settledAttempt({ state: 'deadLettered', statusCode: 404, error: 'http_404' })],
      ladder: 1,
    });
    const { attempts } = await replay(id);
    expect(attempts).toMatchObject([{ attempt: 1 }, { attempt: 2, state: 'pending', duration_ms: null }]);
    expect(await attemptsAfter(id, 2)).toMatchObject([
      { attempt: 1, state: 'dead_lettered' },
      { attempt: 2, state: 'dead_lettered', status_code: 503, next_attempt_at: null },
    ]);
    expect((await detail(id)).event.delivery).toBe('dead_lettered');
    expect(requests()).toHaveLength(1);
  });

  row('completion.triggers.66', 'makes a scheduled retry due now: one attempt more in all', async () => {
    const { id: destination } = await receiver.destinationOf(503);
    const dueAt = new Date(Date.now() + 6 * HOUR_MS);
    const capturedAt = new Date();
    const stored = { capturedAt, states: { [destination]: 'pending' }, ladder: 5 } as const;
    const id = await ledger.store({ ...stored, attempts: failures(5), open: { queue: 1, at: dueAt, dueAt } });
    const { attempts } = await replay(id);
    expect(attempts).toHaveLength(6);
    expect(attempts[5]).toMatchObject({ attempt: 6, state: 'pending' });
    expect(Date.parse(attempts[5].next_attempt_at)).toBeLessThanOrEqual(Date.now());
    const [sixth, seventh, ...more] = (await attemptsAfter(id, 6)).slice(5);
    expect([sixth, seventh, more]).toMatchObject([{ state: 'failed' }, { attempt: 7, state: 'pending' }, []]);
    const waitsMs = Date.parse(seventh.next_attempt_at) - Date.parse(seventh.created_at);
    expect(waitsMs).toBeGreaterThanOrEqual(6 * HOUR_MS);
    // The seventh attempt, once it is due, is the last.
    const now = { queue: 1, at: capturedAt, dueAt: capturedAt } as const;
    const later = await ledger.store({ ...stored, attempts: failures(6), open: now });
    expect((await attemptsAfter(later, 7)).slice(6)).toMatchObject([{ attempt: 7, state: 'dead_lettered' }]);
  });

  row(
    ['completion.triggers.62', 'completion.triggers.67'],
    'during an attempt is queued after it, once, and made as soon as it has ended',
    async () => {
      const { id: destination, requests } = await receiver.destinationOf('hang');
      const { fire } = await hookTo(destination);
      const id = await fire('{}');
      await expect.poll(() => requests().length, SOON).toBe(1);
      const first = await replay(id);
      expect(first.attempts).toMatchObject([
        { attempt: 1, state: 'pending' },
        { attempt: 2, state: 'pending', duration_ms: null },
      ]);
      expect(Date.parse(first.attempts[1].next_attempt_at)).toBeLessThanOrEqual(Date.now());
      expect(await replay(id)).toEqual(first);
      const [made] = await attemptsAfter(id, 1);
      expect(made).toMatchObject({ attempt: 1, state: 'failed', error: 'timeout' });
      await expect.poll(() => requests().length, SOON).toBe(2);
      expect(requests()[1]?.headers['fairlead-attempt']).toBe('2');
    },
  );

  row('completion.triggers.47', 'of many is of the oldest 10 000 at most', async () => {
    const account = await createAccount();
    try {
      const url = 'http://127.0.0.1:9/';
      const made = await post('/v1/triggers/destinations', { url, isEnabled: false }, account);
      const destinationId = String(expectStatus(made, 201).body.id);
      const [from, to] = [new Date(Date.now() - 2 * HOUR_MS), new Date(Date.now() - HOUR_MS)];
      await ledger.load(account, { count: 10_001, from, to }, { destinationId, state: 'delivered' });
      const wanted = { from: from.toISOString(), destinationId };
      expect(expectStatus(await post(`${events}/replay`, wanted, account), 202).body).toEqual({
        queued: 10_000,
      });
      // The newest one stays.
      const left = async () =>
        expectList(await get(`${events}?delivery=delivered`, account)).items.map(({ occurred_at: at }) => at);
      await expect.poll(left, SOON).toHaveLength(1);
      const [newest] = expectList(await get(`${events}?top=1`, account)).items;
      expect(await left()).toEqual([newest?.occurred_at]);
    } finally {
      await removeAccount(account);
    }
  });
});
