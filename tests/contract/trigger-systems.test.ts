import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectList, get, patch, post } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { importForEndUser } from './support/end-users.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const SOON = { timeout: 90_000, interval: 250 };

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const create = async (members: Record<string, unknown>): Promise<string> =>
  String(expectStatus(await post('/v1/triggers', { name: 'Mine', ...members }, account), 201).body.id);
const read = async (id: string) => expectStatus(await get(`/v1/triggers/${id}`, account), 200).body;

/** Payloads of a trigger's events by connection, once there are `count`. */
const payloads = (id: string, count: number): Promise<unknown[]> =>
  vi.waitFor(async () => {
    const { items } = expectList(await get(`/v1/triggers/events?triggerId=${id}`, account));
    expect(items.length).toBeGreaterThanOrEqual(count);
    const shown = items.map(({ payload }) => payload as { connectionId: number });
    return shown.toSorted((a, b) => a.connectionId - b.connectionId);
  }, SOON);

/** The audit log entries about a trigger. */
const audited = (action: string, triggerId: string): Promise<readonly unknown[]> =>
  vi.waitFor(async () => {
    const { items } = expectList(await get(`/admin/v1/audit?action=${action}&top=100`, account));
    const found = items.filter(({ resource }) => resource?.id === triggerId);
    expect(found.length).toBeGreaterThan(0);
    return found;
  }, SOON);

describe('Triggers of changes of connections', () => {
  row(
    ['completion.triggers.17', 'completion.triggers.19', 'events.1'],
    'fire once for each connection that is created or deleted, also one of an end user, if their filter lets it pass',
    async () => {
      const created = await create({ triggerTypeSlug: 'connection_created' });
      const deleted = await create({ triggerTypeSlug: 'connection_deleted' });
      const filter = 'endUserId = "system-customer"';
      const filtered = await create({ triggerTypeSlug: 'connection_deleted', filter });

      const { id: own } = await createCrmConnection('Own', account.apiKey);
      const { id: theirs } = await importForEndUser('system-customer', account);
      const change = (connectionId: number, endUserId: string | null) => ({
        connectionId,
        applicationSlug: 'sandbox-crm',
        endUserId,
        reason: null,
      });
      expect(await payloads(created, 2)).toEqual([change(own, null), change(theirs, 'system-customer')]);

      expectStatus(await del(`/v1/connections/${own}`, account), 204);
      expectStatus(await del('/v1/end-users/system-customer', account), 204);
      expect(await payloads(deleted, 2)).toEqual([change(own, null), change(theirs, 'system-customer')]);
      expect(await payloads(filtered, 1)).toEqual([change(theirs, 'system-customer')]);
      expect(await payloads(created, 2)).toHaveLength(2);
      expect(await read(deleted)).toMatchObject({
        lastFiredAt: expect.stringMatching(/Z$/),
        lastError: null,
      });
    },
  );

  row(
    'completion.connections.42',
    'a trigger is disabled whose connection went with its end user',
    async () => {
      const { id: connectionId } = await importForEndUser('leaving-customer', account);
      const id = await create({ triggerTypeSlug: 'sandbox-crm-contact-created', connectionId });
      expectStatus(await del('/v1/end-users/leaving-customer', account), 204);
      await vi.waitFor(async () => {
        expect(await read(id)).toMatchObject({
          isEnabled: false,
          lastError: expect.stringMatching(/deleted/),
        });
      }, SOON);
      expect(await audited('trigger.disabled', id)).toMatchObject([
        { actor: { kind: 'user' }, details: { reason: expect.stringMatching(/deleted/) } },
      ]);
    },
  );
});

describe('Triggers that people change', () => {
  row('completion.administration.28', 'are in the audit log, with who changed them', async () => {
    const id = await create({ triggerTypeSlug: 'http_webhook' });
    expectStatus(await patch(`/v1/triggers/${id}`, { isEnabled: false }, account), 200);
    expectStatus(await del(`/v1/triggers/${id}`, account), 204);
    for (const action of ['createTrigger', 'updateTrigger', 'deleteTrigger'])
      expect(await audited(action, id), action).toMatchObject([
        { outcome: 'succeeded', actor: { kind: 'user' } },
      ]);
  });
});

describe('A destination', () => {
  row('completion.triggers.41', 'that is deleted is taken out of its triggers', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 2; at += 1) {
      const sent = { url: 'https://receiver.example/in' };
      ids.push(String(expectStatus(await post('/v1/triggers/destinations', sent, account), 201).body.id));
    }
    const id = await create({ triggerTypeSlug: 'http_webhook', destinationIds: ids });
    expectStatus(await del(`/v1/triggers/destinations/${ids[0]}`, account), 204);
    expect((await read(id))['destinationIds']).toEqual(ids.slice(1));
    expect((await read(id))['isEnabled']).toBe(true);
  });
});
