import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const DAY_MS = 24 * 60 * 60_000;

let account: TestAccount;
let mongo: MongoClient;
beforeAll(async () => {
  account = await createAccount();
  mongo = await MongoClient.connect(stack.mongodbUri);
});
afterAll(async () => {
  await mongo.close();
  await removeAccount(account);
});

/** When the key of an event's firing is deleted, after the event was recorded. */
async function keyEnds(eventId: string): Promise<Date | undefined> {
  const outbox = mongo.db('fairlead_triggers').collection<{ readonly expireAt?: Date }>('outbox');
  return (await outbox.findOne({ accountId: account.accountId, eventIds: eventId }))?.expireAt;
}

type Members = Record<string, unknown>;
const members = (more: Members = {}): Members => ({ name: 'Mine', triggerTypeSlug: 'http_webhook', ...more });
async function create(more: Members = {}): Promise<Record<string, any>> {
  return expectStatus(await post('/v1/triggers', members(more), account), 201).body;
}
const read = async (id: string) => expectStatus(await get(`/v1/triggers/${id}`, account), 200).body;
const change = (id: string, body: unknown): Promise<Answer> => patch(`/v1/triggers/${id}`, body, account);

describe('Inbound calls', () => {
  const hookOf = async (more: Members = {}) => {
    const { id, inboundUrl } = await create(more);
    return { id: String(id), url: String(inboundUrl) };
  };
  const callHook = (url: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url, { method: 'POST', ...init });

  row(
    ['completion.triggers.82', 'completion.triggers.28', 'completion.triggers.4'],
    'are answered 202 with the id of the event, whatever their body is, and the trigger has fired',
    async () => {
      const { id, url } = await hookOf();
      const bodies: [string | Uint8Array<ArrayBuffer> | null, string?][] = [
        [null],
        ['{"a":1}', 'application/json'],
        ['{"a":', 'application/json'],
        ['a=1', 'application/x-www-form-urlencoded'],
        ['<a/>', 'text/xml'],
        [Uint8Array.of(0xff, 0, 1), 'application/octet-stream'],
      ];
      const ids = new Set<string>();
      for (const [body, type] of bodies) {
        const headers = type === undefined ? {} : { 'content-type': type };
        const answer = await callHook(url, { body, headers });
        expect(answer.status).toBe(202);
        const { id: eventId, ...more } = (await answer.json()) as Record<string, string>;
        expect([eventId, more]).toEqual([expect.stringMatching(/^te_[0-9A-Za-z]+$/), {}]);
        ids.add(String(eventId));
      }
      expect(ids.size).toBe(bodies.length);
      expect((await read(id))['lastFiredAt']).toMatch(/T/);
    },
  );

  row(
    ['completion.triggers.82', 'triggers.2'],
    'become events that are found as soon as the call is answered, also by a replay',
    async () => {
      const { id, url } = await hookOf();
      for (let round = 0; round < 10; round += 1) {
        const [one, other] = await Promise.all(
          [1, 2].map(async () => (await (await callHook(url)).json()) as { readonly id: string }),
        );
        const read = get(`/v1/triggers/events/${one?.id ?? ''}`, account);
        const replayed = post(`/v1/triggers/events/${other?.id ?? ''}/replay`, undefined, account);
        expect((await read).body.event).toMatchObject({ id: one?.id, trigger_id: id, delivery: 'none' });
        expectError(await replayed, 409, 'NO_DESTINATION');
      }
    },
  );

  row(
    'completion.triggers.83',
    'of a disabled trigger, a deleted one and an unknown token are the same 404',
    async () => {
      const { id, url } = await hookOf();
      const gone = await hookOf();
      expectStatus(await change(id, { isEnabled: false }), 200);
      expectStatus(await del(`/v1/triggers/${gone.id}`, account), 204);
      const answers = await Promise.all(
        [url, gone.url, `${stack.baseUrl}/hooks/${'0'.repeat(32)}`].map(async (each) => {
          const answer = await callHook(each, { body: '{}' });
          const {
            requestId: _id,
            timestamp: _at,
            ...body
          } = (await answer.json()) as Record<string, unknown>;
          return { status: answer.status, body };
        }),
      );
      expect(answers[0]).toMatchObject({ status: 404, body: { errorCode: 'NOT_FOUND' } });
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
      expectStatus(await change(id, { isEnabled: true }), 200);
      expect((await callHook(url)).status).toBe(202);
    },
  );

  row(
    'completion.triggers.83',
    'of a disabled trigger are that 404 also if they are too large, too many, or have a key that is too long',
    async () => {
      const limited = await createAccount({ budgets: { burstPerSecond: 1_000, hookPerSecond: 1 } });
      try {
        const made = expectStatus(await post('/v1/triggers', members(), limited), 201).body;
        const url = String(made.inboundUrl);
        const statuses = async (): Promise<readonly number[]> =>
          (await Promise.all(Array.from({ length: 10 }, () => callHook(url, { body: '{}' })))).map(
            ({ status }) => status,
          );
        await vi.waitFor(async () => expect(await statuses()).toContain(429), {
          timeout: 90_000,
          interval: 20,
        });
        expectStatus(await patch(`/v1/triggers/${String(made.id)}`, { isEnabled: false }, limited), 200);
        expect(new Set(await statuses())).toEqual(new Set([404]));
        const large = await callHook(url, { body: new Uint8Array(6 * 1024 * 1024) });
        const keyed = await callHook(url, { headers: { 'webhook-id': 'x'.repeat(256) } });
        expect([large.status, keyed.status]).toEqual([404, 404]);
      } finally {
        await removeAccount(limited);
      }
    },
  );

  row('completion.triggers.85', 'with the same Idempotency-Key or webhook-id are captured once', async () => {
    const { url } = await hookOf();
    const startedMs = Date.now();
    for (const name of ['idempotency-key', 'webhook-id']) {
      const idOf = async (key: string): Promise<unknown> => {
        const answer = await callHook(url, { headers: { [name]: key }, body: '{}' });
        expect(answer.status).toBe(202);
        return Reflect.get(Object(await answer.json()), 'id');
      };
      const first = await idOf(`${name}-a`);
      expect(await idOf(`${name}-a`)).toBe(first);
      expect(await idOf(`${name}-b`)).not.toBe(first);
      const many = await Promise.all(Array.from({ length: 20 }, () => idOf(`${name}-c`)));
      expect(new Set(many).size).toBe(1);
      // Only time ends that, so check the stored time.
      const ends = await vi.waitUntil(() => keyEnds(String(first)), { timeout: 90_000, interval: 200 });
      expect(ends.getTime()).toBeGreaterThanOrEqual(startedMs + DAY_MS);
      expect(ends.getTime()).toBeLessThanOrEqual(Date.now() + DAY_MS);
    }
  });

  row(
    ['completion.triggers.26', 'completion.triggers.27', 'completion.triggers.29', 'completion.triggers.14'],
    'show method, headers, query and body as they came, without credentials, also once their trigger is deleted',
    async () => {
      const { id, url } = await hookOf();
      const binary = Uint8Array.of(0xff, 0, 1);
      const bodies: [string | Uint8Array<ArrayBuffer> | null, string][] = [
        ['{"n":12345678901234567890,"a":[null]}', '{"n":12345678901234567890,"a":[null]}'],
        ['a=1&b', '"a=1&b"'],
        [null, 'null'],
        [binary, `{"base64":"${Buffer.from(binary).toString('base64')}"}`],
      ];
      const headers = {
        authorization: 'Bearer of-the-caller',
        cookie: 'session=of-the-caller',
        'x-own': 'Mine',
      };
      const shown: string[] = [];
      for (const [body] of bodies) {
        const answer = await callHook(`${url}?a=1&b=x&b=y`, { body, headers });
        expect(answer.status).toBe(202);
        shown.push(String(Reflect.get(Object(await answer.json()), 'id')));
      }
      expectStatus(await del(`/v1/triggers/${id}`, account), 204);
      for (const [at, eventId] of shown.entries()) {
        const { body: detail, text } = await vi.waitFor(
          async () => expectStatus(await get(`/v1/triggers/events/${eventId}`, account), 200),
          { timeout: 90_000, interval: 100 },
        );
        const { event } = detail;
        expect(event.payload).toMatchObject({
          method: 'POST',
          headers: { 'x-own': 'Mine' },
          query: { a: '1', b: ['x', 'y'] },
        });
        expect(Object.keys(event.payload)).toEqual(['method', 'headers', 'query', 'body']);
        expect(event.payload.headers).not.toHaveProperty('authorization');
        expect(event.payload.headers).not.toHaveProperty('cookie');
        // Parsing would change its long number.
        expect(text).toContain(`"body":${bodies[at]?.[1]}`);
      }
    },
  );

  row(
    ['completion.triggers.84', 'completion.everywhere.59'],
    'beyond hookPerSecond are 429, for each trigger by itself and beside the budgets of the account',
    async () => {
      const limited = await createAccount({ budgets: { burstPerSecond: 1_000, hookPerSecond: 3 } });
      try {
        const urls: string[] = [];
        for (let at = 0; at < 2; at += 1) {
          const made = expectStatus(await post('/v1/triggers', members(), limited), 201).body;
          urls.push(String(made.inboundUrl));
        }
        const [one = '', two = ''] = urls;
        const answers: Response[] = [];
        const refused = (): Response[] => answers.filter(({ status }) => status === 429);
        // Generous: a busy machine may spread them over many seconds.
        for (let count = 40; refused().length === 0; count *= 2)
          answers.push(...(await Promise.all(Array.from({ length: count }, () => callHook(one)))));
        expect(answers.filter(({ status }) => status === 202).length).toBeGreaterThanOrEqual(3);
        expect(refused()[0]?.headers.get('retry-after')).toBe('1');
        expect(await refused()[0]?.json()).toMatchObject({ errorCode: 'RATE_LIMIT_EXCEEDED' });
        expect((await callHook(two)).status).toBe(202);
      } finally {
        await removeAccount(limited);
      }
    },
  );

  row('completion.everywhere.40', 'with a body above 5 MiB are 413; other methods 405', async () => {
    const { url } = await hookOf();
    const most = 5 * 1024 * 1024;
    expect((await callHook(url, { body: new Uint8Array(most) })).status).toBe(202);
    for (const bytes of [most + 1, 64 * 1024 * 1024]) {
      const large = await callHook(url, { body: new Uint8Array(bytes) });
      expect(large.status).toBe(413);
      expect(await large.json()).toMatchObject({ errorCode: 'PAYLOAD_TOO_LARGE' });
    }
    const got = await fetch(url);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  row(
    ['completion.triggers.5', 'completion.triggers.6'],
    'that the filter is not true for are answered 200 and captured nowhere; an error is noted',
    async () => {
      const { id, url } = await hookOf({ filter: 'body.total > 10' });
      const send = async (body: unknown) => (await callHook(url, { body: JSON.stringify(body) })).status;
      expect(await send({ total: 11 })).toBe(202);
      expect(await send({ total: 10 })).toBe(200);
      expect(await send({})).toBe(200);
      expect((await read(id))['lastError']).toBeNull();
      expect(await send({ total: 'many' })).toBe(200);
      expect((await read(id))['lastError']).toMatch(/filter/i);
    },
  );
});

describe('A schedule', () => {
  row(
    ['completion.triggers.24', 'completion.triggers.25'],
    'fires first one period after it was enabled',
    async () => {
      const { id, createdAt } = await create({
        triggerTypeSlug: 'schedule',
        configuration: { everySeconds: 10 },
      });
      const lastFiredAt = await vi.waitFor(
        async () => {
          const fired: unknown = (await read(String(id)))['lastFiredAt'];
          expect(fired).not.toBeNull();
          return String(fired);
        },
        { timeout: 90_000, interval: 500 },
      );
      const enabledMs = new Date(String(createdAt)).getTime();
      expect(new Date(lastFiredAt).getTime()).toBeGreaterThanOrEqual(enabledMs + 10_000);
      expectStatus(await change(String(id), { isEnabled: false }), 200);
      const payload = await vi.waitFor(
        async () => {
          const { items } = expectList(await get(`/v1/triggers/events?triggerId=${String(id)}`, account));
          expect(items.length).toBeGreaterThan(0);
          return items.at(-1)?.payload as Record<string, string>;
        },
        { timeout: 90_000, interval: 250 },
      );
      expect(payload).toEqual({ scheduledAt: expect.stringMatching(/Z$/) });
      expect(Date.parse(String(payload['scheduledAt']))).toBeGreaterThanOrEqual(enabledMs + 10_000);
    },
  );
});
