import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectList, get, post, stack } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SOON = { timeout: 90_000, interval: 250 };
const ZONE = 'Europe/Berlin';

let account: TestAccount;
let mongo: MongoClient;
beforeAll(async () => {
  account = await createAccount();
  mongo = await MongoClient.connect(stack.mongodbUri);
});
afterAll(async () => {
  await removeAccount(account);
  await mongo.close();
});

interface StoredTrigger {
  readonly _id: string;
  readonly accountId: string;
  readonly enabledAt: Date;
  readonly gaps: readonly object[];
  readonly due: { readonly lane: string; readonly at: Date; readonly claim: object | null };
}
const stored = () => mongo.db('fairlead_triggers').collection<StoredTrigger>('triggers');

/** A trigger with a schedule whose last run was due before an outage that began at `from` and has just ended. */
async function afterOutage(configuration: Record<string, unknown>, from: Date): Promise<string> {
  const body = { name: 'Mine', triggerTypeSlug: 'schedule', configuration };
  const id = String(expectStatus(await post('/v1/triggers', body, account), 201).body.id);
  const { accountId } = account;
  const enabledAt = new Date(from.getTime() - HOUR_MS);
  const { matchedCount } = await stored().updateOne(
    { _id: id, accountId },
    { $set: { enabledAt, due: { lane: accountId, at: from, claim: null } } },
  );
  expect(matchedCount).toBe(1);
  return id;
}

/** The times for which the trigger has fired, once its next run is in the future. */
async function firedFor(id: string): Promise<readonly unknown[]> {
  await vi.waitFor(async () => {
    const document = await stored().findOne({ _id: id });
    expect(document?.due.claim).toBeNull();
    expect(document?.due.at.getTime()).toBeGreaterThan(Date.now());
  }, SOON);
  return vi.waitFor(async () => {
    const { items } = expectList(await get(`/v1/triggers/events?triggerId=${id}`, account));
    expect(items.length).toBeGreaterThan(0);
    return items.map(({ payload }) => payload.scheduledAt);
  }, SOON);
}

/** Offset of the zone's clocks from UTC. */
function offsetMs(time: Date): number {
  const shown = new Intl.DateTimeFormat('en-US', { timeZone: ZONE, timeZoneName: 'longOffset' }).format(time);
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/.exec(shown) ?? [];
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** The latest time at which the zone's clocks changed by an hour. */
function lastChange(byMs: number): Date {
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  for (let at = now; at > now - 400 * DAY_MS; at -= HOUR_MS)
    if (offsetMs(new Date(at)) - offsetMs(new Date(at - HOUR_MS)) === byMs) return new Date(at);
  throw new Error('The clocks were not changed within a year.');
}

/** 02:30 on the day of the clock change at `time`. */
function halfPastTwo(time: Date): Record<string, unknown> {
  const local = new Date(time.getTime() + offsetMs(time));
  return { cron: `30 2 ${local.getUTCDate()} ${local.getUTCMonth() + 1} *`, timezone: ZONE };
}

describe('A schedule', () => {
  row('completion.triggers.81', 'fires once after an outage, for the latest tick missed', async () => {
    const from = new Date(Math.floor(Date.now() / 1000) * 1000 - 5.5 * HOUR_MS);
    const id = await afterOutage({ everySeconds: 3_600 }, from);
    expect(await firedFor(id)).toEqual([new Date(from.getTime() + 5 * HOUR_MS).toISOString()]);
  });

  row(
    'completion.triggers.80',
    'fires at the next local time if the clocks skip its own, and once if they repeat it',
    async () => {
      const skipped = lastChange(HOUR_MS);
      const repeated = lastChange(-HOUR_MS);
      const before = (time: Date): Date => new Date(time.getTime() - 60 * DAY_MS);
      const ids = await Promise.all(
        [skipped, repeated].map((time) => afterOutage(halfPastTwo(time), before(time))),
      );
      const fired = await Promise.all(ids.map(firedFor));
      expect(fired).toEqual([
        // 03:00, the first time after 01:59:59.
        [skipped.toISOString()],
        // The first occurrence of 02:30, which the clock shows twice.
        [new Date(repeated.getTime() - HOUR_MS / 2).toISOString()],
      ]);
    },
  );

  row('completion.triggers.21', 'with cron and no timezone fires by UTC', async () => {
    const tick = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - 30 * DAY_MS + 2.5 * HOUR_MS);
    const cron = `30 2 ${tick.getUTCDate()} ${tick.getUTCMonth() + 1} *`;
    const id = await afterOutage({ cron }, new Date(tick.getTime() - DAY_MS));
    expect(await firedFor(id)).toEqual([tick.toISOString()]);
  });
});

row('completion.triggers.4', 'a trigger shows the gaps in its firings', async () => {
  const [from, to] = ['2026-01-02T03:04:05.006Z', '2026-01-02T03:05:05.006Z'];
  const configuration = { everySeconds: 3_600 };
  const body = { name: 'Mine', triggerTypeSlug: 'schedule', configuration };
  const { id } = expectStatus(await post('/v1/triggers', body, account), 201).body;
  const reason = 'The items could not be read.';
  const gaps = [{ from: new Date(from), to: new Date(to), reason }];
  await stored().updateOne({ _id: id, accountId: account.accountId }, { $set: { gaps } });
  const { body: shown } = expectStatus(await get(`/v1/triggers/${id}`, account), 200);
  expect(shown.gaps).toEqual([{ from, to, reason }]);
});
