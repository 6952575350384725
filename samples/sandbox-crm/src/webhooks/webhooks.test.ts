import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startTestCrm, testConfig } from '../testing/sandbox.ts';
import type { TestCrm } from '../testing/sandbox.ts';
import { startWebhookSink } from '../testing/webhook-sink.ts';
import type { WebhookSink } from '../testing/webhook-sink.ts';

const SECRET = 'a secret of the subscriber';
const anyText: unknown = expect.any(String);

let crm: TestCrm;

beforeEach(async () => {
  crm = await startTestCrm({ webhookRetryDelaysMs: [1, 1] });
});

afterEach(() => crm.close());

async function sink(...statuses: number[]): Promise<WebhookSink> {
  const started = await startWebhookSink(...statuses);
  onTestFinished(() => started.close());
  return started;
}

async function subscribe(
  url: string,
  event = 'deal.updated',
  headers?: Record<string, string>,
): Promise<unknown> {
  const o = { body: { event, url, secret: SECRET }, ...(headers === undefined ? {} : { headers }) };
  const answer = await crm.api('POST', '/webhooks', o);
  expect(answer.status).toBe(201);
  return answer.body;
}

/** Waits for `count` attempts and returns the last attempts, oldest first. */
async function attempts(count: number): Promise<unknown[]> {
  return vi.waitFor(
    async () => {
      const { body } = await crm.admin('/webhook-deliveries');
      const { items } = { items: [], ...(body as { items?: unknown[] }) };
      expect(items).toHaveLength(count);
      return items.toReversed();
    },
    { timeout: 90_000 },
  );
}

describe('subscriptions', () => {
  test('are made, listed and removed in their workspace, and never show their secret', async () => {
    const made = await subscribe('http://127.0.0.1:9/a');
    expect(made).toEqual({
      id: 'whk_1',
      event: 'deal.updated',
      url: 'http://127.0.0.1:9/a',
      createdAt: anyText,
    });
    await subscribe('http://127.0.0.1:9/a');
    const listed = await crm.api('GET', '/webhooks?top=1&offset=1');
    expect(listed.body).toMatchObject({ items: [{ id: 'whk_2' }], totalCount: 2 });
    expect((await crm.api('GET', '/webhooks/whk_1')).body).toEqual(made);

    const lab = { 'x-api-token': testConfig.apiToken, 'x-workspace': 'ws_lab' };
    expect((await crm.api('GET', '/webhooks', { headers: lab })).body).toMatchObject({ totalCount: 0 });
    expect((await crm.api('DELETE', '/webhooks/whk_1', { headers: lab })).status).toBe(404);

    expect((await crm.api('DELETE', '/webhooks/whk_1')).status).toBe(204);
    expect((await crm.api('GET', '/webhooks/whk_1')).status).toBe(404);
    const all = await crm.admin('/webhooks');
    expect(all.body).toMatchObject({ items: [{ id: 'whk_2', workspaceId: 'ws_trading' }] });
    expect(JSON.stringify(all.body)).not.toContain(SECRET);
  });

  test.each([
    [{ event: 'deal.updated', url: 'http://127.0.0.1:9/a' }, 'secret'],
    [{ event: 'deal.updated', url: 'http://127.0.0.1:9/a', secret: 'short' }, 'secret'],
    [{ event: 'deal.lost', url: 'http://127.0.0.1:9/a', secret: SECRET }, 'event'],
    [{ event: 'deal.updated', url: 'ftp://127.0.0.1/a', secret: SECRET }, 'url'],
  ])('%o is refused naming the field', async (body, field) => {
    expect(await crm.api('POST', '/webhooks', { body })).toMatchObject({
      status: 400,
      body: { error: { details: [{ field }] } },
    });
  });

  test('outlive a reset, and the vendor forgets those of an address on request', async () => {
    await subscribe('http://127.0.0.1:9/a');
    await subscribe('http://127.0.0.1:9/b');
    await crm.admin('/reset', {});
    expect((await crm.admin('/remove-webhooks', { url: 'http://127.0.0.1:9/a' })).body).toEqual({
      removed: 1,
    });
    expect((await crm.api('GET', '/webhooks')).body).toMatchObject({ totalCount: 1 });
    expect((await crm.admin('/remove-webhooks', {})).body).toEqual({ removed: 1 });
  });
});

describe('deliveries', () => {
  test('hold the whole record, signed over timestamp and body with the secret of the subscription', async () => {
    const subscriber = await sink();
    await subscribe(subscriber.url);
    const { body: deal } = await crm.api('PATCH', '/deals/deal_1', { body: { stage: 'won' } });
    await subscriber.arrivals(1);

    const [delivery] = subscriber.received;
    const { body = '', headers = {} } = delivery ?? {};
    expect(JSON.parse(body)).toEqual({
      id: headers['x-crm-delivery'],
      event: 'deal.updated',
      workspaceId: 'ws_trading',
      occurredAt: anyText,
      data: deal,
    });
    const signed = `${String(headers['x-crm-timestamp'])}.${body}`;
    const hmac = createHmac('sha256', SECRET).update(signed).digest('hex');
    expect(headers['x-crm-signature']).toBe(`sha256=${hmac}`);
    expect(headers['content-type']).toBe('application/json');
  });

  test('go to every subscription of the event and the workspace, and to no other', async () => {
    const [updated, twice, created, elsewhere] = [await sink(), await sink(), await sink(), await sink()];
    await subscribe(updated.url);
    await subscribe(twice.url);
    await subscribe(twice.url);
    await subscribe(created.url, 'contact.created');
    await subscribe(elsewhere.url, 'deal.updated', {
      'x-api-token': testConfig.apiToken,
      'x-workspace': 'ws_lab',
    });
    await crm.api('PATCH', '/deals/deal_1', { body: { stage: 'won' } });
    await crm.api('POST', '/contacts', { body: { name: 'Ivo' } });
    await attempts(4);
    const counts = [updated, twice, created, elsewhere].map(({ received }) => received.length);
    expect(counts).toEqual([1, 2, 1, 0]);
  });

  test('are tried again with the same id and body until they are accepted', async () => {
    const subscriber = await sink(500, 302);
    await subscribe(subscriber.url);
    await crm.api('PATCH', '/deals/deal_1', { body: { stage: 'won' } });
    expect(await attempts(3)).toMatchObject([
      { attempt: 1, status: 500 },
      { attempt: 2, status: 302 },
      { attempt: 3, status: 204 },
    ]);
    expect(new Set(subscriber.received.map(({ body }) => body)).size).toBe(1);
  });

  test('that nobody receives end after the last wait, with the reason', async () => {
    await subscribe('http://127.0.0.1:9/nobody');
    await crm.api('PATCH', '/deals/deal_1', { body: { stage: 'won' } });
    expect(await attempts(3)).toMatchObject([{}, {}, { attempt: 3, status: null, error: anyText }]);
  });

  test('can be sent once more; an unknown one is 404', async () => {
    const subscriber = await sink();
    await subscribe(subscriber.url);
    await crm.api('PATCH', '/deals/deal_1', { body: { stage: 'won' } });
    await subscriber.arrivals(1);
    const deliveryId = subscriber.received[0]?.headers['x-crm-delivery'];
    expect((await crm.admin('/resend-webhook', { deliveryId })).body).toEqual({ deliveryId });
    await subscriber.arrivals(2);
    expect(subscriber.received[1]?.body).toBe(subscriber.received[0]?.body);
    expect((await crm.admin('/resend-webhook', { deliveryId: 'evt_0' })).status).toBe(404);
  });
});
