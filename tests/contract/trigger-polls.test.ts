import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, expectList, get, patch, post, stack } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const CREATED = 'sandbox-crm-contact-created';
/** A run every 10 s, and time for the delivery. */
const ONE_RUN = { timeout: 90_000, interval: 250 };

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

/** Adds a contact directly at the vendor. */
async function addContact(name: string): Promise<unknown> {
  const response = await fetch(`${stack.sandboxCrm.url}/api/contacts`, {
    method: 'POST',
    headers: { 'x-api-token': stack.sandboxCrm.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  expect(response.status).toBe(201);
  return response.json();
}

const trigger = (more: Record<string, unknown>) =>
  post('/v1/triggers', { name: 'New contacts', triggerTypeSlug: CREATED, connectionId, ...more }, account);

describe('Polls', () => {
  row(
    [
      'completion.triggers.30',
      'completion.triggers.31',
      'completion.triggers.32',
      'completion.triggers.5',
      'completion.sandbox-crm.18',
    ],
    'a new contact fires once, with the whole record; what was there before, or came while disabled, does not',
    async () => {
      // Other tests add contacts to the same CRM.
      const ours = randomUUID();
      await addContact(`Before ${ours}`);
      const { body } = expectStatus(
        await trigger({ configuration: { everySeconds: 10 }, filter: `$contains(name, "${ours}")` }),
        201,
      );
      const path = `/v1/triggers/${body.id}`;
      const payloads = async (count: number): Promise<unknown[]> => {
        const events = await vi.waitFor(async () => {
          const { items } = expectList(await get(`/v1/triggers/events?triggerId=${body.id}`, account));
          expect(items.length).toBeGreaterThanOrEqual(count);
          return items;
        }, ONE_RUN);
        return events.map(({ payload }) => payload).toReversed();
      };

      const first = await addContact(`First ${ours}`);
      expect(await payloads(1)).toEqual([first]);

      expectStatus(await patch(path, { isEnabled: false }, account), 200);
      await addContact(`While disabled ${ours}`);
      expectStatus(await patch(path, { isEnabled: true }, account), 200);
      const second = await addContact(`Second ${ours}`);
      expect(await payloads(2)).toEqual([first, second]);

      expect(expectStatus(await get(path, account), 200).body).toMatchObject({
        lastFiredAt: expect.stringMatching(/Z$/),
        lastError: null,
        gaps: [],
      });
      // Polls do not count as executions.
      expect(expectList(await get('/v1/executions', account))).toMatchObject({ totalCount: 0 });
    },
  );

  row(['completion.sandbox-crm.18'], 'a period below 10 seconds is a VALIDATION_ERROR', async () => {
    const refused = await trigger({ configuration: { everySeconds: 9 } });
    expectError(refused, 400, 'VALIDATION_ERROR', ['configuration.everySeconds']);
  });

  row(
    ['completion.triggers.30'],
    'a poll that the vendor refuses to seed is a VALIDATION_ERROR of its connection, with the words of the vendor',
    async () => {
      const wrong = await createConnection(
        {
          applicationSlug: 'sandbox-crm',
          connectionName: 'Wrong token',
          authenticationId: 1,
          fields: { apiToken: 'no-token-of-the-vendor' },
        },
        account.apiKey,
      );
      const refused = await trigger({ connectionId: wrong.id });
      expectError(refused, 400, 'VALIDATION_ERROR', ['connectionId']);
      expect(refused.body.details[0].issue).toContain('The API token is not valid.');
      const { items } = expectList(await get('/v1/triggers', account));
      expect(items.map((each) => each.connectionId)).not.toContain(wrong.id);
    },
  );
});
