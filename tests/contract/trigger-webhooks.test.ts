import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, expectList, get, patch, post, put, stack } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import { importForEndUser } from './support/end-users.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const UPDATED = 'sandbox-crm-deal-updated';
const SOON = { timeout: 90_000, interval: 250 };

let account: TestAccount;
let connectionId: number;
/** Registrations of other tests. */
let others: ReadonlySet<string>;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
  others = new Set((await listRegistered()).map(({ id }) => id));
});
afterAll(() => removeAccount(account));

async function vendor(method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${stack.sandboxCrm.url}/api${path}`, {
    method,
    headers: { 'x-api-token': stack.sandboxCrm.apiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

/** The vendor's own list of registrations. */
async function listRegistered(): Promise<readonly { readonly id: string; readonly url: string }[]> {
  const { items } = await vendor('GET', '/webhooks?top=100');
  return items;
}
const ours = async () => (await listRegistered()).filter(({ id }) => !others.has(id));
const untilOurs = (count: number) =>
  vi.waitFor(async () => {
    const found = await ours();
    expect(found).toHaveLength(count);
    return found;
  }, SOON);

const create = (more: Record<string, unknown> = {}) =>
  post('/v1/triggers', { name: 'Deals', triggerTypeSlug: UPDATED, connectionId, ...more }, account);

describe('A trigger whose application calls', () => {
  row(
    ['completion.triggers.32', 'completion.sandbox-crm.19'],
    'is registered there while it is enabled, fires with the whole record, and takes signed calls only',
    async () => {
      const { body } = expectStatus(await create(), 201);
      expect(body).toMatchObject({ inboundUrl: null, isEnabled: true, lastError: null });
      const [first] = await untilOurs(1);
      const url = String(first?.url);

      const deal = await vendor('POST', '/deals', {
        title: 'Watched',
        amount: 10,
        currency: 'EUR',
        stage: 'lead',
        contactId: (await vendor('GET', '/contacts?top=1')).items[0].id,
      });
      const changed = await vendor('PATCH', `/deals/${deal.id}`, { amount: 11 });
      const fired = await vi.waitFor(async () => {
        const { items } = expectList(await get(`/v1/triggers/events?triggerId=${body.id}`, account));
        const found = items.find(({ payload }) => payload.id === deal.id);
        expect(found).toBeDefined();
        return found;
      }, SOON);
      expect(fired?.payload).toEqual(changed);

      const forged = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-crm-timestamp': String(Math.floor(Date.now() / 1000)),
          'x-crm-signature': `sha256=${'0'.repeat(64)}`,
        },
        body: JSON.stringify({ id: 'evt_forged', data: { id: 'forged' } }),
      });
      expect([forged.status, ((await forged.json()) as Record<string, unknown>)['errorCode']]).toEqual([
        401,
        'UNAUTHORIZED',
      ]);
      const { items } = expectList(await get(`/v1/triggers/events?triggerId=${body.id}`, account));
      expect(items.some(({ payload }) => payload.id === 'forged')).toBe(false);

      const path = `/v1/triggers/${body.id}`;
      expectStatus(await patch(path, { isEnabled: false }, account), 200);
      await untilOurs(0);
      expect((await fetch(url, { method: 'POST' })).status).toBe(404);
      expectStatus(await patch(path, { isEnabled: true }, account), 200);
      const [second] = await untilOurs(1);
      expect(second?.url).not.toBe(url);
      expectStatus(await del(path, account), 204);
      await untilOurs(0);
    },
  );

  test('that refuses the registration is 400 on connectionId, and nothing is stored', async () => {
    const refused = await createConnection(
      {
        applicationSlug: 'sandbox-crm',
        connectionName: 'Refused',
        authenticationId: 1,
        fields: { apiToken: 'not-the-token' },
      },
      account.apiKey,
    );
    const before = expectList(await get('/v1/triggers', account)).totalCount;
    const answer = await create({ connectionId: refused.id });
    expectError(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.details).toMatchObject([{ field: 'connectionId' }]);
    expect(expectList(await get('/v1/triggers', account)).totalCount).toBe(before);
    expect(await ours()).toEqual([]);
  });
});

describe('A connection whose application calls for a trigger', () => {
  row(
    ['completion.sandbox-crm.19', 'completion.connections.46'],
    'leaves no registration there once it is deleted by force, or with its end user',
    async () => {
      const own = await createCrmConnection('Deleted', account.apiKey);
      const theirs = await importForEndUser('webhook-customer', account);
      for (const [id, path] of [
        [own.id, `/v1/connections/${own.id}?force=true`],
        [theirs.id, '/v1/end-users/webhook-customer'],
      ] as const) {
        const { body } = expectStatus(await create({ connectionId: id }), 201);
        expect(await ours()).toHaveLength(1);
        expectStatus(await del(path, account), 204);
        expect(await ours()).toEqual([]);
        const trigger = expectStatus(await get(`/v1/triggers/${body.id}`, account), 200).body;
        expect(trigger).toMatchObject({ isEnabled: false, lastError: expect.stringMatching(/deleted/) });
      }
    },
  );

  row(
    'completion.triggers.12',
    'can be replaced by another one of its application, which is called, and so can that of a poll',
    async () => {
      const other = await createCrmConnection('Other', account.apiKey);
      const poll = await post(
        '/v1/triggers',
        { name: 'Contacts', triggerTypeSlug: 'sandbox-crm-contact-created', connectionId },
        account,
      );
      const { body } = expectStatus(await create(), 201);
      const [before] = await untilOurs(1);
      for (const { id } of [body, expectStatus(poll, 201).body]) {
        const changed = await patch(`/v1/triggers/${id}`, { connectionId: other.id }, account);
        expect(expectStatus(changed, 200).body).toMatchObject({ connectionId: other.id, isEnabled: true });
      }
      await vi.waitFor(async () => {
        const found = await ours();
        expect(found).toHaveLength(1);
        expect(found[0]?.url).not.toBe(before?.url);
      }, SOON);
      // An unused one does not block the deletion.
      expectStatus(await del(`/v1/triggers/${body.id}`, account), 204);
      await untilOurs(0);
    },
  );
});

row('errors.25', 'an application is not called for a trigger whose connection has no licence', async () => {
  const { id } = await createCrmConnection('Blocked', account.apiKey);
  const poll = { name: 'Blocked', triggerTypeSlug: 'sandbox-crm-contact-created', connectionId: id };
  const disabled = expectStatus(await post('/v1/triggers', { ...poll, isEnabled: false }, account), 201);
  expectStatus(await put(`/admin/v1/connections/${id}/licence`, { status: 'none' }, account), 200);
  const path = `/v1/triggers/${disabled.body.id}`;
  for (const refused of [
    await post('/v1/triggers', poll, account),
    await create({ connectionId: id }),
    await patch(path, { isEnabled: true }, account),
  ]) {
    expectError(refused, 403, 'CONNECTION_BLOCKED');
    expect(refused.body.message).toMatch(/^Connection \d+ has no licence/);
  }
  expect(expectStatus(await get(path, account), 200).body.isEnabled).toBe(false);
  expect(await ours()).toEqual([]);
});
