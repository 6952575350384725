import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { settledAttempt } from '@fairlead-services/delivery/testing/events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectStatus } from './support/accounts.ts';
import { asOther, expectError, expectList, get, patch, post } from './support/api.ts';
import type { Ledger } from './support/ledger.ts';
import { openLedger } from './support/ledger.ts';
import { row } from './support/row.ts';

const path = '/v1/triggers/events';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ago = (ms: number): Date => new Date(Date.now() - ms);

let ledger: Ledger;
/** Never answers. */
let silent: Server;
/** Disabled, so that nothing is sent; and the silent server's address. */
let disabled: string;
let other: string;
let hanging: string;

async function createDestination(url: string, isEnabled: boolean): Promise<string> {
  const made = await post('/v1/triggers/destinations', { url, isEnabled });
  return String(expectStatus(made, 201).body.id);
}

beforeAll(async () => {
  ledger = await openLedger();
  silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  disabled = await createDestination(url, false);
  other = await createDestination(url, false);
  hanging = await createDestination(url, true);
});
afterAll(async () => {
  await ledger.close();
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
});

const list = async (query: string) => expectList(await get(`${path}?${query}`));
const idsOf = async (query: string) => (await list(query)).items.map(({ id }) => id as string);
const detail = async (id: string) => expectStatus(await get(`${path}/${id}`), 200).body;

describe('Events', () => {
  row(
    [
      'trigger-event-and-delivery-attempt.1',
      'trigger-event-and-delivery-attempt.2',
      'trigger-event-and-delivery-attempt.3',
      'triggers.2',
      'identifiers-and-naming.7',
      'identifiers-and-naming.9',
      'completion.names.4',
      'completion.triggers.53',
      'completion.triggers.54',
      'completion.triggers.55',
    ],
    'are shown with their payload and all attempts, of which the next one is pending',
    async () => {
      const at = ago(60_000);
      const dueAt = new Date(Date.now() + HOUR_MS);
      const id = await ledger.store({
        triggerId: 'trg_shown',
        capturedAt: at,
        payload: '{"big":12345678901234567890,"text":"Ærø"}',
        states: { [hanging]: 'pending' },
        attempts: [settledAttempt({ createdAt: at })],
        open: { at: dueAt, dueAt, queue: 1, createdAt: ago(50_000) },
      });
      const { event, attempts } = await detail(id);
      expect(id).toMatch(/^te_[0-9A-Za-z]{22}$/);
      expect(event).toEqual({
        id,
        type: 'schedule',
        trigger_id: 'trg_shown',
        delivery: 'pending',
        occurred_at: at.toISOString(),
        payload: JSON.parse('{"big":12345678901234567890,"text":"Ærø"}'),
        payload_truncated: false,
        payload_hash: 'sha256:00',
        created_at: at.toISOString(),
        updated_at: attempts[1].created_at,
      });
      expect(attempts).toEqual([
        {
          attempt: 1,
          state: 'failed',
          destination: hanging,
          status_code: 500,
          error: 'http_500',
          duration_ms: 12,
          next_attempt_at: null,
          created_at: at.toISOString(),
        },
        {
          attempt: 2,
          state: 'pending',
          destination: hanging,
          status_code: null,
          error: null,
          duration_ms: null,
          next_attempt_at: dueAt.toISOString(),
          created_at: expect.any(String),
        },
      ]);
      // A list contains the payload's text as captured.
      const listed = await get(`${path}?triggerId=trg_shown`);
      expect(expectList(listed).items).toEqual([event]);
      expect(listed.text).toContain('"payload":{"big":12345678901234567890,"text":"Ærø"}');
      const { body, text } = await get(`${path}/${id}/body`);
      const { delivery: _delivery, created_at: _created, updated_at: _updated, ...sent } = event;
      expect(body).toEqual(sent);
      expect(text.startsWith(`{"id":"${id}","type":"schedule",`)).toBe(true);
    },
  );

  row(
    [
      'completion.triggers.43',
      'completion.triggers.48',
      'completion.triggers.49',
      'completion.triggers.50',
      'completion.triggers.51',
      'completion.triggers.52',
      'completion.applications-and-tools.55',
    ],
    'are listed newest first by trigger, destination, delivery and time, or after another one',
    async () => {
      const store = (minutes: number, states: Parameters<Ledger['store']>[0]['states']) =>
        ledger.store({ triggerId: 'trg_listed', capturedAt: ago(minutes * 60_000), states: states ?? {} });
      const none = await store(60, {});
      const delivered = await store(50, { [disabled]: 'delivered', [other]: 'delivered' });
      const held = await store(40, { [disabled]: 'held', [other]: 'delivered' });
      const dead = await store(30, { [disabled]: 'deadLettered', [other]: 'held' });
      const pending = await store(20, { [disabled]: 'pending', [other]: 'deadLettered' });
      const single = await store(10, { [other]: 'delivered' });
      const all = [single, pending, dead, held, delivered, none];
      const { items, totalCount } = await list('triggerId=trg_listed');
      expect([items.map(({ id }) => id), totalCount]).toEqual([all, 6]);
      expect(items.map(({ delivery }) => delivery)).toEqual([
        'delivered',
        'pending',
        'dead_lettered',
        'held',
        'delivered',
        'none',
      ]);
      expect(await idsOf('triggerId=trg_listed&offset=1&top=2')).toEqual([pending, dead]);
      for (const [name, ids] of Object.entries({
        pending: [pending],
        dead_lettered: [dead],
        held: [held],
        delivered: [single, delivered],
        none: [none],
      })) {
        const found = await list(`triggerId=trg_listed&delivery=${name}`);
        expect([found.items.map(({ id }) => id), found.totalCount]).toEqual([ids, ids.length]);
      }
      const to = await list(`triggerId=trg_listed&destinationId=${disabled}`);
      expect([to.items.map(({ id }) => id), to.totalCount]).toEqual([[pending, dead, held, delivered], 4]);
      const [fromTime, toTime] = [items[3].occurred_at, items[1].occurred_at];
      expect(await idsOf(`triggerId=trg_listed&from=${fromTime}&to=${toTime}`)).toEqual([dead, held]);
      const after = await list(`triggerId=trg_listed&after=${dead}&offset=1`);
      expect([after.items.map(({ id }) => id), after.totalCount]).toEqual([[delivered, none], 3]);
      expect(await list('after=te_0000000000000000000000')).toMatchObject({ items: [], totalCount: 0 });
      expect(await list('destinationId=dst_0000000000000000000000')).toMatchObject({ totalCount: 0 });
      expectError(await get(`${path}?delivery=lost`), 400, 'INVALID_ENUM_VALUE', ['delivery']);
      expectError(await get(`${path}?from=yesterday`), 400, 'VALIDATION_ERROR', ['from']);
    },
  );

  test('a page of a hundred payloads of 256 KiB comes whole', async () => {
    const payload = JSON.stringify('x'.repeat(262_142));
    for (let index = 0; index < 100; index += 1)
      await ledger.store({ triggerId: 'trg_large', states: {}, payload, capturedAt: new Date() });
    const { items, totalCount } = await list('triggerId=trg_large&top=100');
    expect([items.length, totalCount]).toEqual([100, 100]);
    expect(new Set(items.map(({ id }) => id)).size).toBe(100);
    expect(items.every((item) => item.payload.length === 262_142)).toBe(true);
  });

  row(['events.5', 'limits.16'], 'are kept for 30 days and no longer', async () => {
    const create = (ms: number) => ledger.store({ triggerId: 'trg_old', states: {}, capturedAt: ago(ms) });
    const kept = await create(30 * DAY_MS - 60_000);
    const past = await create(30 * DAY_MS + 1_000);
    expect(await list('triggerId=trg_old')).toMatchObject({ items: [{ id: kept }], totalCount: 1 });
    expect((await get(`${path}/${kept}`)).status).toBe(200);
    for (const refused of [
      get(`${path}/${past}`),
      get(`${path}/${past}/body`),
      post(`${path}/${past}/replay`),
    ])
      expectError(await refused, 404, 'NOT_FOUND');
    expect(await list(`after=${past}`)).toMatchObject({ items: [], totalCount: 0 });
  });

  row('errors.26', 'of another account do not exist', async () => {
    const id = await ledger.store({ states: { [disabled]: 'deadLettered' } });
    const pairs = [
      [await get(`${path}/${id}`, asOther), await get(`${path}/te_0000000000000000000000`, asOther)],
      [
        await post(`${path}/${id}/replay`, undefined, asOther),
        await post(`${path}/te_0000000000000000000000/replay`, undefined, asOther),
      ],
    ] as const;
    for (const [mine, unknown] of pairs) {
      expectError(mine, 404, 'NOT_FOUND');
      expect(mine.body.message).toBe(unknown.body.message);
    }
    expect((await detail(id)).event.delivery).toBe('dead_lettered');
  });
});

describe('A replay', () => {
  row(
    [
      'triggers.3',
      'events.7',
      'completion.triggers.62',
      'completion.triggers.63',
      'completion.triggers.67',
      'completion.triggers.68',
    ],
    'queues one more attempt for each destination, once, and waits while the destination is disabled',
    async () => {
      const id = await ledger.store({
        states: { [disabled]: 'deadLettered', [other]: 'delivered' },
        attempts: [settledAttempt({ state: 'deadLettered', statusCode: 404, error: 'http_404' })],
      });
      const first = expectStatus(await post(`${path}/${id}/replay`), 202).body;
      expect(first.event).toMatchObject({ id, delivery: 'pending' });
      const next = { attempt: 2, state: 'pending', next_attempt_at: null, status_code: null };
      expect(first.attempts).toMatchObject([
        { attempt: 1, destination: disabled },
        { attempt: 1, destination: other },
        { ...next, destination: disabled },
        { ...next, destination: other },
      ]);
      expect(expectStatus(await post(`${path}/${id}/replay`), 202).body).toEqual(first);
      expect(await detail(id)).toEqual(first);
    },
  );

  row('completion.triggers.44', 'may be for one of the destinations of the event', async () => {
    const id = await ledger.store({ states: { [disabled]: 'delivered', [other]: 'deadLettered' } });
    const { attempts } = expectStatus(await post(`${path}/${id}/replay?destinationId=${other}`), 202).body;
    expect(attempts).toMatchObject([{ attempt: 1, destination: other, state: 'pending' }]);
    for (const wrong of [hanging, 'dst_0000000000000000000000'])
      expectError(await post(`${path}/${id}/replay?destinationId=${wrong}`), 404, 'NOT_FOUND');
    expectError(await post(`${path}/${id}/replay?destinationId=`), 400, 'VALIDATION_ERROR');
  });

  row(
    ['completion.triggers.64', 'completion.triggers.65'],
    'of an event without a destination goes to those of its trigger now, and needs one',
    async () => {
      const sent = { name: 'Replayed', triggerTypeSlug: 'http_webhook' };
      const trigger = String(expectStatus(await post('/v1/triggers', sent), 201).body.id);
      const id = await ledger.store({ triggerId: trigger, states: {} });
      expectError(await post(`${path}/${id}/replay`), 409, 'NO_DESTINATION');
      expect((await detail(id)).event.delivery).toBe('none');
      expectStatus(await patch(`/v1/triggers/${trigger}`, { destinationIds: [other] }), 200);
      expectError(await post(`${path}/${id}/replay?destinationId=${disabled}`), 404, 'NOT_FOUND');
      const { event, attempts } = expectStatus(await post(`${path}/${id}/replay`), 202).body;
      expect(event.delivery).toBe('pending');
      expect(attempts).toMatchObject([{ attempt: 1, destination: other, state: 'pending' }]);
      const orphan = await ledger.store({ triggerId: 'trg_deleted', states: {} });
      expectError(await post(`${path}/${orphan}/replay`), 409, 'NO_DESTINATION');
    },
  );

  row(
    ['completion.triggers.45', 'completion.triggers.46'],
    'of many events is queued once for each that matches, and made in the background',
    async () => {
      const created = await post('/v1/triggers', { name: 'Many', triggerTypeSlug: 'http_webhook' });
      const triggerId = String(expectStatus(created, 201).body.id);
      const create = (state: 'deadLettered' | 'delivered', minutes: number) =>
        ledger.store({
          triggerId,
          states: { [other]: state },
          capturedAt: ago(minutes * 60_000),
        });
      const [old, dead, also] = [
        await create('deadLettered', 120),
        await create('deadLettered', 50),
        await create('deadLettered', 40),
      ];
      const delivered = await create('delivered', 30);
      const sent = { triggerId, destinationId: other, delivery: 'dead_lettered' };
      const answer = await post(`${path}/replay`, { ...sent, from: ago(HOUR_MS).toISOString() });
      expect(expectStatus(answer, 202).body).toEqual({ queued: 2 });
      await expect.poll(() => idsOf(`triggerId=${triggerId}&delivery=pending`)).toEqual([also, dead]);
      expect((await detail(dead)).attempts).toMatchObject([{ attempt: 1, state: 'pending' }]);
      expect(await idsOf(`triggerId=${triggerId}&delivery=dead_lettered`)).toEqual([old]);
      expect(await idsOf(`triggerId=${triggerId}&delivery=delivered`)).toEqual([delivered]);
      expectError(await post(`${path}/replay`, sent), 400, 'VALIDATION_ERROR', ['from']);
      const unknown = { from: ago(HOUR_MS).toISOString(), destinationId: 'dst_0000000000000000000000' };
      expectError(await post(`${path}/replay`, unknown), 404, 'NOT_FOUND');
      const elsewhere = { from: ago(HOUR_MS).toISOString(), triggerId: 'trg_0000000000000000000000' };
      expectError(await post(`${path}/replay`, elsewhere), 404, 'NOT_FOUND');
    },
  );

  test('goes on once its destination is enabled', async () => {
    const id = await ledger.store({ states: { [disabled]: 'deadLettered' }, capturedAt: new Date() });
    await post(`${path}/${id}/replay`);
    expect((await detail(id)).attempts[0].next_attempt_at).toBeNull();
    expectStatus(await patch(`/v1/triggers/destinations/${disabled}`, { isEnabled: true }), 200);
    expect((await detail(id)).attempts[0]).toMatchObject({
      state: 'pending',
      next_attempt_at: expect.any(String),
    });
  });
});
