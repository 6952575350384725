import { createHash, createHmac } from 'node:crypto';
import { settledAttempt } from '@fairlead-services/delivery/testing/events';
import { verifyWebhook } from '@fairlead/sdk';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { expectStatus } from './support/accounts.ts';
import { del, expectList, get, post } from './support/api.ts';
import { openLedger } from './support/ledger.ts';
import type { Ledger } from './support/ledger.ts';
import { attemptsAfter, detail, hookTo, SOON, startReceiver } from './support/receiver.ts';
import type { EventRequest, Receiver } from './support/receiver.ts';
import { row } from './support/row.ts';

const destinations = '/v1/triggers/destinations';
const events = '/v1/triggers/events';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ago = (ms: number): Date => new Date(Date.now() - ms);

let receiver: Receiver;
let ledger: Ledger;
const destinationOf: Receiver['destinationOf'] = (...of) => receiver.destinationOf(...of);

beforeAll(async () => {
  ledger = await openLedger();
  receiver = await startReceiver();
});
afterAll(async () => {
  await ledger.close();
  receiver.close();
});

/** An event whose next attempt is due now, after this many failed ones. */
const dueNow = (destinationId: string, failed = 0, capturedAt = new Date()): Promise<string> =>
  ledger.store({
    capturedAt,
    states: { [destinationId]: 'pending' },
    attempts: Array.from({ length: failed }, (_, at) => settledAttempt({ attempt: at + 1 })),
    ladder: failed,
    open: { at: capturedAt, dueAt: capturedAt, createdAt: capturedAt, queue: failed === 0 ? 0 : 1 },
  });

const deliveryOf = async (id: string): Promise<string> => (await detail(id)).event.delivery;
describe('A delivery', () => {
  row(
    [
      'what-the-service-does.8',
      'event-delivery.1',
      'events.1',
      'events.2',
      'events.3',
      'completion.triggers.88',
    ],
    'is a signed HTTP call with the event, made after the firing was acknowledged; any 2xx ends it',
    async () => {
      const all = await Promise.all([200, 201, 204, 299].map((status) => destinationOf(status)));
      const hanging = await destinationOf('hang');
      const { triggerId, fire } = await hookTo(...all.map(({ id }) => id), hanging.id);
      // Parsing and serializing would change each of these texts.
      const text =
        '{"number":12345678901234567890,"price":1.10,"tiny":1e-400,"name":"\\u00c6\\/","n":1,"n":2}';
      const id = await fire(text);
      for (const { secret, requests, id: destination } of all) {
        await expect.poll(() => requests().length, SOON).toBe(1);
        const [{ headers, body }] = requests() as [EventRequest];
        expect(verifyWebhook(body, String(headers['fairlead-signature']), secret)).toMatchObject({
          id,
          type: 'http_webhook',
          trigger_id: triggerId,
          payload_truncated: false,
        });
        expect(body).toContain(`"body":${text}`);
        const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
        const signed = `${id}.${String(headers['webhook-timestamp'])}.${body}`;
        const expected = createHmac('sha256', key).update(signed).digest('base64');
        expect(headers).toMatchObject({ 'webhook-id': id, 'webhook-signature': `v1,${expected}` });
        await expect
          .poll(async () => {
            const { attempts } = await detail(id);
            return attempts.find((each: { destination: string }) => each.destination === destination);
          }, SOON)
          .toMatchObject({ attempt: 1, state: 'delivered', error: null, next_attempt_at: null });
      }
    },
  );

  row(
    ['event-delivery.2', 'limits.12', 'completion.triggers.61'],
    'that gets 408, 429, a 5xx, no answer within 10 s or no connection is scheduled again',
    async () => {
      const refused = expectStatus(await post(destinations, { url: 'http://127.0.0.1:9/' }), 201).body;
      const cases: readonly (readonly [string, string])[] = [
        ...(await Promise.all(
          [408, 429, 500, 503, 599].map(
            async (status) => [(await destinationOf(status)).id, `http_${status}`] as const,
          ),
        )),
        [(await destinationOf('hang')).id, 'timeout'],
        [(await destinationOf('200/endless')).id, 'timeout'],
        [(await destinationOf('reset')).id, 'connection_reset'],
        [refused.id, 'connection_refused'],
      ];
      await Promise.all(
        cases.map(async ([destination, error]) => {
          const id = await dueNow(destination);
          const [failed, next, ...more] = await attemptsAfter(id, 1);
          expect([failed, more]).toMatchObject([{ attempt: 1, state: 'failed', error }, []]);
          expect(failed.next_attempt_at).toBeNull();
          if (error === 'timeout') {
            expect(failed.duration_ms).toBeGreaterThanOrEqual(10_000);
            // Generous, because a busy machine adds delays.
            expect(failed.duration_ms).toBeLessThan(60_000);
          }
          expect(next).toMatchObject({ attempt: 2, state: 'pending', status_code: null });
          expect(await deliveryOf(id)).toBe('pending');
        }),
      );
    },
  );

  row(
    ['event-delivery.3', 'completion.triggers.56', 'completion.triggers.60'],
    'that gets another 4xx or any 3xx is dead-lettered at once, and no redirect is followed',
    async () => {
      const statuses = [400, 404, 410, 451, 300, 301, 302, 303, 304, 307, 308];
      await Promise.all(
        statuses.map(async (status) => {
          const destination = await destinationOf(status);
          const id = await dueNow(destination.id);
          const error = status < 400 ? 'redirect' : `http_${status}`;
          const attempts = await attemptsAfter(id, 1);
          expect(attempts).toMatchObject([
            { attempt: 1, state: 'dead_lettered', status_code: status, error, next_attempt_at: null },
          ]);
          expect(await deliveryOf(id)).toBe('dead_lettered');
          expect((await destination.read()).consecutiveFailures).toBe(1);
          expect(destination.requests()).toHaveLength(1);
        }),
      );
      expect(receiver.received.filter(({ path }) => path === '/200/redirected')).toEqual([]);
    },
  );

  row(
    ['event-delivery.4', 'limits.13', 'completion.triggers.58', 'completion.triggers.59'],
    'is attempted six times in all, after the pauses of the ladder whatever Retry-After says',
    async () => {
      const destination = await destinationOf(503);
      const pausesMs = [1, 5, 15, 60, 360].map((minutes) => minutes * MINUTE_MS);
      await Promise.all(
        pausesMs.map(async (pauseMs, failed) => {
          const next = (await attemptsAfter(await dueNow(destination.id, failed), failed + 1)).at(-1);
          expect(next).toMatchObject({ attempt: failed + 2, state: 'pending' });
          const waitsMs = Date.parse(next.next_attempt_at) - Date.parse(next.created_at);
          expect(waitsMs).toBeGreaterThanOrEqual(pauseMs);
          expect(waitsMs).toBeLessThanOrEqual(pauseMs * 1.1);
        }),
      );
      const last = await dueNow(destination.id, 5);
      const attempts = await attemptsAfter(last, 6);
      expect(attempts.map(({ attempt, state }) => [attempt, state])).toEqual([
        ...[1, 2, 3, 4, 5].map((attempt) => [attempt, 'failed']),
        [6, 'dead_lettered'],
      ]);
      expect((await destination.read()).consecutiveFailures).toBe(1);
      const dueAt = new Date(Date.now() + 2_500);
      const capturedAt = new Date(dueAt.getTime() - MINUTE_MS);
      const { id, requests } = await destinationOf(204);
      const open = { at: dueAt, dueAt, createdAt: capturedAt, queue: 1 } as const;
      const failed = { attempts: [settledAttempt()], ladder: 1 };
      await ledger.store({ states: { [id]: 'pending' }, capturedAt, ...failed, open });
      await expect.poll(() => requests().length, SOON).toBe(1);
      expect(requests()[0]?.atMs).toBeGreaterThanOrEqual(dueAt.getTime());
      expect(requests()[0]?.atMs).toBeLessThanOrEqual(dueAt.getTime() + MINUTE_MS);
    },
  );

  row(
    ['completion.triggers.79', 'events.7', 'events.8', 'completion.everywhere.4'],
    'has the same id and bytes each time; a replay answers 202, and makes no event',
    async () => {
      const destination = await destinationOf(503);
      const { triggerId, fire } = await hookTo(destination.id);
      const id = await fire('{"text":"Ærø","number":1.10}');
      await attemptsAfter(id, 1);
      destination.answerWith(204);
      expect((await post(`${events}/${id}/replay`)).status).toBe(202);
      await attemptsAfter(id, 2);
      expect((await post(`${events}/${id}/replay`)).status).toBe(202);
      const attempts = await attemptsAfter(id, 3);
      expect(attempts.map(({ state }) => state)).toEqual(['failed', 'delivered', 'delivered']);
      const requests = destination.requests();
      expect(requests.map(({ headers }) => headers['fairlead-attempt'])).toEqual(['1', '2', '3']);
      expect(new Set(requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
      expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
      expect(expectList(await get(`${events}?triggerId=${triggerId}`)).items).toMatchObject([{ id }]);
    },
  );

  row(
    ['completion.triggers.86', 'completion.triggers.87'],
    'of a payload above 256 KiB has its beginning as a string, and the hash of all of it',
    async () => {
      const destination = await destinationOf(204);
      const { fire } = await hookTo(destination.id);
      const [small, large] = [await fire('{"a":1}'), await fire(JSON.stringify('x'.repeat(300_000)))];
      await expect.poll(() => destination.requests().length, SOON).toBe(2);
      const bodyOf = (id: string): string =>
        String(destination.requests().find(({ headers }) => headers['webhook-id'] === id)?.body);
      const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
      const [, payload] = /"payload":(.*),"payload_truncated":false/s.exec(bodyOf(small)) ?? [];
      const { event } = await detail(small);
      expect(event).toMatchObject({ payload_truncated: false, payload_hash: hashOf(String(payload)) });
      const truncated = (await detail(large)).event;
      expect(truncated.payload_truncated).toBe(true);
      expect(Buffer.byteLength(truncated.payload)).toBe(256 * 1024);
      const start = '"body":"';
      const sent = truncated.payload.length - truncated.payload.indexOf(start) - start.length;
      expect(truncated.payload_hash).toBe(hashOf(`${truncated.payload}${'x'.repeat(300_000 - sent)}"}`));
      expect(JSON.parse(bodyOf(large))).toMatchObject({
        payload: truncated.payload,
        payload_truncated: true,
        payload_hash: truncated.payload_hash,
      });
    },
  );
});

describe('A destination', () => {
  row(
    ['event-delivery.6', 'event-delivery.7', 'limits.14', 'limits.15'],
    'is disabled by five dead-lettered events in a row; enabled, it gets what was captured in the last 24 hours',
    async () => {
      const destination = await destinationOf(410);
      const { fire } = await hookTo(destination.id);
      const dead = await Promise.all(Array.from({ length: 5 }, () => dueNow(destination.id)));
      await expect.poll(async () => (await destination.read()).isEnabled, SOON).toBe(false);
      expect(await destination.read()).toMatchObject({
        disabledReason: 'consecutive_failures',
        consecutiveFailures: 5,
      });
      const entries = async () =>
        expectList(await get('/admin/v1/audit?action=destination.disabled')).items.filter(
          ({ resource }) => resource.id === destination.id,
        );
      await expect.poll(entries, SOON).toMatchObject([{ actor: { kind: 'system' }, outcome: 'succeeded' }]);
      const captured = await fire('{}');
      const [inside, older] = [
        await dueNow(destination.id, 0, ago(24 * HOUR_MS - 5 * MINUTE_MS)),
        await dueNow(destination.id, 0, ago(24 * HOUR_MS + MINUTE_MS)),
      ];
      await expect
        .poll(async () => (await detail(captured)).attempts, SOON)
        .toMatchObject([{ attempt: 1, state: 'pending', next_attempt_at: null }]);
      expect(destination.requests()).toHaveLength(5);
      destination.answerWith(204);
      const { body } = await destination.change({ isEnabled: true });
      expect(body).toMatchObject({ isEnabled: true, disabledReason: null, consecutiveFailures: 0 });
      const states = () => Promise.all([captured, inside, older, ...dead].map(deliveryOf));
      await expect
        .poll(states, SOON)
        .toEqual(['delivered', 'delivered', 'held', ...dead.map(() => 'dead_lettered')]);
      const again = [older, String(dead[0])];
      for (const id of again) expectStatus(await post(`${events}/${id}/replay`), 202);
      await expect.poll(() => Promise.all(again.map(deliveryOf)), SOON).toEqual(['delivered', 'delivered']);
    },
  );

  row(
    ['completion.triggers.57', 'completion.triggers.69'],
    'is not disabled by replays that fail: each dead-letters its event again',
    async () => {
      const destination = await destinationOf(404, { maxConsecutiveFailures: 2 });
      const id = await dueNow(destination.id);
      await attemptsAfter(id, 1);
      const other = await ledger.store({
        capturedAt: new Date(),
        states: { [destination.id]: 'deadLettered' },
        attempts: [settledAttempt({ state: 'deadLettered', statusCode: 404, error: 'http_404' })],
      });
      for (const replayed of [id, other]) {
        expectStatus(await post(`${events}/${replayed}/replay`), 202);
        expect(await attemptsAfter(replayed, 2)).toMatchObject([
          { attempt: 1, state: 'dead_lettered' },
          { attempt: 2, state: 'dead_lettered', error: 'http_404' },
        ]);
        expect(await deliveryOf(replayed)).toBe('dead_lettered');
      }
      expect(await destination.read()).toMatchObject({ isEnabled: true, consecutiveFailures: 1 });
    },
  );

  row(
    'completion.triggers.42',
    'that is deleted ends its open deliveries, and those of other destinations go on',
    async () => {
      const [gone, stays] = [await destinationOf(503), await destinationOf(204)];
      const { fire } = await hookTo(gone.id, stays.id);
      const id = await fire('{}');
      await expect.poll(() => gone.requests().length, SOON).toBe(1);
      expect((await del(`${destinations}/${gone.id}`)).status).toBe(204);
      await expect.poll(() => deliveryOf(id), SOON).toBe('dead_lettered');
      const { attempts } = await detail(id);
      const ofGone = attempts.filter((each: { destination: string }) => each.destination === gone.id);
      expect(ofGone.at(-1)).toMatchObject({ state: 'dead_lettered', error: 'destination_deleted' });
      expect(gone.requests()).toHaveLength(1);
      await expect.poll(() => stays.requests().length, SOON).toBe(1);
    },
  );
});

row('completion.triggers.14', 'A trigger that is deleted leaves its events for their 30 days', async () => {
  const destination = await destinationOf(204);
  const { triggerId, fire } = await hookTo(destination.id);
  const id = await fire('{"kept":true}');
  await expect.poll(() => destination.requests().length, SOON).toBe(1);
  expectStatus(await del(`/v1/triggers/${triggerId}`), 204);
  expect((await detail(id)).event).toMatchObject({ id, payload: { body: { kept: true } } });
  expect(expectList(await get(`${events}?triggerId=${triggerId}`)).items).toMatchObject([{ id }]);
});
