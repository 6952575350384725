import { verifyWebhook } from '@fairlead/sdk';
import { startApiServer } from '@fairlead/sdk/testing/api-server';
import type { ApiServer, ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountApi } from '../testing/account-api.ts';
import { invoke } from '../testing/invoke.ts';
import type { CommandResult } from '../testing/invoke.ts';

const NOON = Date.parse('2026-11-23T12:00:00.000Z');
const BODY = '{"id":"te_3","type":"schedule",  "payload":12345678901234567890}';
const event = (number: number) => ({
  id: `te_${number}`,
  type: 'schedule',
  trigger_id: 'trg_1',
  delivery: 'delivered',
  payload: {},
  created_at: new Date(NOON + number * 1000).toISOString(),
});

/** The numbers of the events that the API has, newest first. */
let stored: number[];
let api: ApiServer;
let down: Reply | undefined;
beforeEach(async () => {
  stored = [2, 1];
  down = undefined;
  api = await startApiServer(({ path }: ReceivedRequest) => {
    if (down !== undefined) return down;
    if (path.includes('te_3.5/body'))
      return (response) => void response.write(BODY.slice(0, 5), () => response.destroy());
    if (path.endsWith('/body')) return (response) => void response.end(BODY);
    const query = new URL(path, 'http://api').searchParams;
    const after = query.get('after');
    const from = after === null ? 0 : stored.findIndex((number) => `te_${number}` === after) + 1;
    const items = stored.slice(from, from + Number(query.get('top'))).map(event);
    return { status: 200, body: { items, totalCount: stored.length, offset: 0, top: items.length } };
  });
});
afterEach(() => api.close());

/** Runs a command, and at each of its waits the next of `steps`; Ctrl-C after the last one. */
async function call(
  argv: string[],
  steps: (() => void)[],
  more: Record<string, string> = {},
): Promise<CommandResult> {
  const end = new AbortController();
  const rest = [...steps];
  const onWait = (): void => {
    const step = rest.shift();
    if (step === undefined) end.abort();
    else step();
  };
  const environment = { FAIRLEAD_URL: api.url, FAIRLEAD_API_KEY: 'fairlead_account_key', ...more };
  return invoke(argv, { environment, signal: end.signal, onWait });
}
const capture =
  (...numbers: number[]) =>
  () => {
    stored = [...stored, ...numbers].toSorted((a, b) => b - a);
  };

describe('events tail', () => {
  const printed = ({ out }: CommandResult) => [...out.matchAll(/te_\d+/g)].map(([id]) => id);

  it('prints the latest events and each new one once, oldest first, until Ctrl-C', async () => {
    const tail = await call(['events', 'tail'], [capture(3, 4), () => undefined, capture(5)]);
    expect(tail.code).toBe(130);
    expect(printed(tail)).toEqual(['te_1', 'te_2', 'te_3', 'te_4', 'te_5']);
    expect(tail.out).toContain('2026-11-23T12:00:01.000Z  te_1  delivered  schedule  trg_1\n');
  });

  it('misses none that is listed behind a newer one, nor of more than a page', async () => {
    const many = Array.from({ length: 250 }, (_, index) => 10 + index / 100);
    const tail = await call(['events', 'tail', '-n', '0'], [capture(5), capture(4), capture(...many)]);
    expect(printed(tail)).toHaveLength(252);
    expect(printed(tail).slice(0, 2)).toEqual(['te_5', 'te_4']);
  });

  it('filters, and prints JSON line by line', async () => {
    const argv = ['events', 'tail', '--json', '--trigger', 'trg_1', '--destination', 'dst_1', '--lines', '1'];
    const { out } = await call(argv, [capture(3)]);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([event(2), event(3)]);
    for (const { path } of api.received) expect(path).toMatch(/triggerId=trg_1&destinationId=dst_1/);
  });

  it('goes on when the installation answers again, and ends when it refuses', async () => {
    const envelope = (errorCode: string) => ({ errorCode, message: 'Away.', requestId: 'r', timestamp: 't' });
    const steps = [
      () =>
        (down = { status: 429, headers: { 'retry-after': '3600' }, body: envelope('RATE_LIMIT_EXCEEDED') }),
      () => {
        down = undefined;
        capture(3)();
      },
      () => (down = { status: 401, body: envelope('UNAUTHORIZED') }),
    ];
    const tail = await call(['events', 'tail'], steps);
    expect(printed(tail)).toEqual(['te_1', 'te_2', 'te_3']);
    expect(tail.err).toContain('Trying again.');
    expect(tail.code).toBe(3);
  });
});

describe('listen', () => {
  it('sends new events with the bytes and headers of a delivery, and prints the secret that verifies them', async () => {
    const receiver = await startApiServer(() => ({ status: 204 }));
    const { code, out, err } = await call(['listen', '--forward-to', receiver.url], [capture(3)]);
    await receiver.close();
    expect([code, out]).toEqual([130, 'te_3  schedule  204\n']);
    const [, secret = ''] = /^Signing secret: (whsec_\S+)$/m.exec(err) ?? [];
    expect(receiver.received).toHaveLength(1);
    const [{ method, body, headers } = { method: '', body: '', headers: {} as ReceivedRequest['headers'] }] =
      receiver.received;
    expect([method, body]).toEqual(['POST', BODY]);
    expect(verifyWebhook(body, headers['fairlead-signature'], secret).id).toBe('te_3');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'fairlead-attempt': '1',
      'fairlead-trigger-id': 'trg_1',
      'webhook-id': 'te_3',
    });
    expect(api.received.every((each) => each.method === 'GET')).toBe(true);
  });

  it('goes on when the receiver is away, and uses a given secret', async () => {
    const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    const receiver = await startApiServer(() => ({ status: 204 }));
    await receiver.close();
    const argv = ['listen', '--forward-to', receiver.url, '--json'];
    const { out, err } = await call(argv, [capture(3), capture(4)], { FAIRLEAD_WEBHOOK_SECRET: secret });
    expect(err).toContain(secret);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { id: 'te_3', status: null, error: `connect ECONNREFUSED ${new URL(receiver.url).host}` },
      { id: 'te_4', status: null },
    ]);
  });

  it('goes on after an event whose bytes break off', async () => {
    const receiver = await startApiServer(() => ({ status: 204 }));
    const argv = ['listen', '--forward-to', receiver.url, '--json'];
    const { code, out } = await call(argv, [capture(3.5), capture(4)]);
    await receiver.close();
    expect([code, receiver.received.length]).toEqual([130, 1]);
    expect(out).toMatch(/"te_3.5",.*"status":null.*\n.*"te_4",.*"status":204/);
  });

  it('names the variable that holds no signing secret', async () => {
    const argv = ['listen', '--forward-to', 'http://127.0.0.1:9'];
    const { code, err } = await call(argv, [], { FAIRLEAD_WEBHOOK_SECRET: 'whsec_short' });
    expect([code, err]).toEqual([2, expect.stringContaining('FAIRLEAD_WEBHOOK_SECRET is not')]);
    expect(err).not.toContain('whsec_short');
  });

  it.each([['listen'], ['listen --forward-to ftp://localhost'], ['events tail -n 101']])(
    '%s is a wrong call',
    async (argv) => {
      expect((await call(argv.split(' '), [])).code).toBe(2);
    },
  );
});

describe('one event, and many', () => {
  const { call: ask, sent } = accountApi();
  const DETAIL = {
    event: { ...event(1), occurred_at: new Date(NOON).toISOString(), delivery: 'pending' },
    attempts: [
      {
        attempt: 1,
        state: 'failed',
        destination: 'dst_1',
        status_code: 503,
        error: 'http_503',
        duration_ms: 7,
        next_attempt_at: null,
        created_at: new Date(NOON).toISOString(),
      },
    ],
  };

  it('get shows the attempts', async () => {
    const { out } = await ask(['events', 'get', 'te_1'], { status: 200, body: DETAIL });
    expect(out).toMatch(/^Delivery +pending$/m);
    expect(out).toMatch(/dst_1 +1 +failed +503 +http_503/);
  });

  it('replay asks for one destination, replay-many for what matches', async () => {
    const one = ['events', 'replay', 'te_1', '--destination', 'dst_1'];
    expect((await ask(one, { status: 202, body: DETAIL })).code).toBe(0);
    expect(sent()[0]?.line).toBe('POST /v1/triggers/events/te_1/replay?destinationId=dst_1');
    const many = ['events', 'replay-many', '--from', '2026-11-23', '--trigger', 'trg_1'];
    const { out } = await ask(many, { status: 202, body: { queued: 3 } });
    expect(out).toBe('Queued 3 events.\n');
    expect(sent()).toEqual([
      {
        line: 'POST /v1/triggers/events/replay',
        body: { triggerId: 'trg_1', from: '2026-11-23T00:00:00.000Z', delivery: 'dead_lettered' },
      },
    ]);
    expect((await ask([...many, '--to', 'tomorrow'], { status: 202 })).code).toBe(2);
  });
});
