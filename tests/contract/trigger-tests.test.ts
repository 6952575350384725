import { startSink } from '@fairlead-services/delivery/testing/sink';
import type { ReceivedRequest, Sink } from '@fairlead-services/delivery/testing/sink';
import { verifyWebhook } from '@fairlead/sdk';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, expectList, get, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { MINUTE_MS, secondsLeftOf, withinOne } from './support/windows.ts';

let sink: Sink;
let account: TestAccount;
beforeAll(async () => {
  const answers: Readonly<Record<string, number>> = { '/in/500': 500, '/in/302': 302 };
  sink = await startSink(({ path }) => answers[path] ?? 204);
  account = await createAccount();
});
afterAll(async () => {
  await removeAccount(account);
  await sink.close();
});

interface Destination {
  readonly id: string;
  readonly url: string;
  readonly signingSecret: string;
}
async function createDestination(
  members: Record<string, unknown> = {},
  of: TestAccount = account,
): Promise<Destination> {
  const sent = { url: sink.url, ...members };
  return expectStatus(await post('/v1/triggers/destinations', sent, of), 201).body as Destination;
}
async function createTrigger(
  destinations: readonly Destination[],
  of: TestAccount = account,
): Promise<string> {
  const destinationIds = destinations.map(({ id }) => id);
  const sent = { name: 'Tested', triggerTypeSlug: 'http_webhook', destinationIds };
  return String(expectStatus(await post('/v1/triggers', sent, of), 201).body.id);
}
const send = (id: string, query = '', of: TestAccount = account): Promise<Answer> =>
  post(`/v1/triggers/${id}/test${query}`, undefined, of);
const to = ({ id }: Destination): string => `?destinationId=${id}`;

/** The only request that the receiver gets while `act` runs. */
async function requestOf(act: () => Promise<unknown>): Promise<ReceivedRequest> {
  const [request, ...more] = await receivedOf(act);
  if (request === undefined || more.length > 0) throw new Error('The sink did not get exactly one request.');
  return request;
}

/** The requests that the receiver gets while `act` runs. */
async function receivedOf(act: () => Promise<unknown>): Promise<Sink['received']> {
  const before = sink.received.length;
  await act();
  return sink.received.slice(before);
}

describe('A test of a trigger', () => {
  row(
    [
      'triggers.1',
      'events.6',
      'versioning.11',
      'completion.triggers.70',
      'completion.triggers.73',
      'completion.triggers.74',
      'completion.triggers.77',
      'completion.triggers.78',
    ],
    'goes to its first destination, enabled or not, signed with its real secret, and stores nothing',
    async () => {
      const first = await createDestination({ isEnabled: false, headers: { 'x-team': 'blue' } });
      const id = await createTrigger([first, await createDestination()]);
      const { headers, body } = await requestOf(async () => {
        const result = expectStatus(await send(id), 200).body;
        expect(result).toEqual({ delivered: true, status_code: 204, error: null });
      });
      expect(headers['x-team']).toBe('blue');
      const event = verifyWebhook(body, headers['fairlead-signature'], first.signingSecret);
      expect(event).toEqual({
        id: expect.stringMatching(/^te_[0-9A-Za-z]+$/),
        type: 'http_webhook',
        trigger_id: id,
        occurred_at: expect.any(String),
        payload: { test: true },
        payload_truncated: false,
        payload_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      });
      expectError(await get(`/v1/triggers/events/${event.id}`, account), 404, 'NOT_FOUND');
      expect(expectList(await get(`/v1/triggers/events?triggerId=${id}`, account)).items).toEqual([]);
      expect((await get(`/v1/triggers/${id}`, account)).body.lastFiredAt).toBeNull();
    },
  );

  row('completion.triggers.71', 'goes to the destination that the query names', async () => {
    const second = await createDestination();
    const id = await createTrigger([await createDestination(), second]);
    const { headers, body } = await requestOf(async () => expectStatus(await send(id, to(second)), 200));
    expect(verifyWebhook(body, headers['fairlead-signature'], second.signingSecret).trigger_id).toBe(id);
  });

  row(
    ['completion.triggers.73', 'completion.triggers.74'],
    'is 200 when the destination refuses or is away too, and no failure of it counts',
    async () => {
      const closed = await startSink(() => 204);
      await closed.close();
      const cases: [url: string, statusCode: number | null, error: string][] = [
        [`${sink.url}/500`, 500, 'http_500'],
        [`${sink.url}/302`, 302, 'redirect'],
        [closed.url, null, 'connection_refused'],
      ];
      for (const [url, statusCode, error] of cases) {
        const destination = await createDestination({ url, maxConsecutiveFailures: 1 });
        const { body } = expectStatus(await send(await createTrigger([destination])), 200);
        expect(body).toEqual({ delivered: false, status_code: statusCode, error });
        const after = await get(`/v1/triggers/destinations/${destination.id}`, account);
        expect(after.body).toMatchObject({ isEnabled: true, consecutiveFailures: 0 });
      }
    },
  );

  row(
    ['completion.triggers.72', 'completion.triggers.75'],
    'needs a destination, of this trigger and of this account',
    async () => {
      const [own, strange] = [await createDestination(), await createDestination()];
      const [bare, id] = [await createTrigger([]), await createTrigger([own])];
      const received = await receivedOf(async () => {
        expectError(await send(bare), 409, 'NO_DESTINATION');
        expectError(await send(bare, to(own)), 404, 'NOT_FOUND');
        expectError(await send(id, to(strange)), 404, 'NOT_FOUND');
        expectError(await send(id, '?destinationId=dst_0000000000000000000000'), 404, 'NOT_FOUND');
        expectError(await send(id, '?destinationId='), 400, 'VALIDATION_ERROR');
        expectError(await send('trg_0000000000000000000000'), 404, 'NOT_FOUND');
      });
      expect(received).toEqual([]);
    },
  );

  row(
    ['limits.10', 'completion.triggers.76', 'completion.everywhere.55'],
    'is allowed 10 times a minute by default; calls that send nothing do not count',
    async () => {
      await withinOne(MINUTE_MS, async () => {
        const fresh = await createAccount({ budgets: {} });
        const destination = await createDestination({}, fresh);
        const id = await createTrigger([destination], fresh);
        const bare = await createTrigger([], fresh);
        for (let at = 0; at < 3; at += 1) {
          expectError(await send(bare, '', fresh), 409, 'NO_DESTINATION');
          expectError(await send(bare, to(destination), fresh), 404, 'NOT_FOUND');
        }
        const received = await receivedOf(async () => {
          for (let at = 0; at < 10; at += 1) expectStatus(await send(id, '', fresh), 200);
          const longest = secondsLeftOf(MINUTE_MS);
          const refused = await send(id, '', fresh);
          expectError(refused, 429, 'RATE_LIMIT_EXCEEDED');
          const retryAfter = Number(refused.headers.get('retry-after'));
          expect(retryAfter).toBeLessThanOrEqual(longest);
          expect(retryAfter).toBeGreaterThanOrEqual(secondsLeftOf(MINUTE_MS));
        });
        expect(received).toHaveLength(10);
        expectStatus(await send(await createTrigger([await createDestination()])), 200);
        await removeAccount(fresh);
      });
    },
  );
});
