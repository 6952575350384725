import type { StringValue } from '@bufbuild/protobuf/wkt';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import type { ClientSession } from 'mongodb';
import { Binary, ObjectId, Timestamp } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { ManualClock } from '../clock.ts';
import { randomBase62 } from '../ids.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import type { EventDefinition } from '../nats/events.ts';
import { decodeEvent } from '../nats/events.ts';
import { platformContext } from '../testing/account-data.ts';
import { captureLog } from '../testing/log-lines.ts';
import { testStore } from '../testing/mongo.ts';
import { openTestNats } from '../testing/nats.ts';
import { changeCollection, KEPT_MS } from './change.collection.ts';
import type { ChangeLog } from './change-log.ts';
import { createChangeHints, subscribeToChangeHints } from './change-hints.ts';
import { createChangeLog } from './change-log.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SOON = { timeout: 90_000 };
const ctx = platformContext;

/** Represents a service's message, whose schema the kit does not know. */
const named: EventDefinition<typeof StringValueSchema> = {
  schema: StringValueSchema,
  subject: 'fairlead.test.thing.named.v1',
};

let store: MongoStore & { drop(): Promise<void> };
let clock: ManualClock;
let log: ChangeLog;

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [changeCollection]);
});
afterAll(() => store.drop());
beforeEach(async () => {
  await store.collection(changeCollection).deleteMany({});
  // Near the real time, which the database's TTL monitor uses.
  clock = new ManualClock(new Date());
  log = createChangeLog({ store, clock });
});

const append = (session: ClientSession, value: string): Promise<void> =>
  log.append(session, { accountId: 'acc_1', event: named, message: { value }, occurredAt: clock.now() });

const commit = (...values: readonly string[]): Promise<void> =>
  store.withTransaction(async (session) => {
    for (const value of values) await append(session, value);
  });

/** A transaction that a test ends itself. */
async function begin(value: string): Promise<{ commit(): Promise<void>; abort(): Promise<void> }> {
  const session = store.client.startSession();
  session.startTransaction();
  await append(session, value);
  return {
    commit: async () => {
      await session.commitTransaction();
      await session.endSession();
    },
    abort: async () => {
      await session.abortTransaction();
      await session.endSession();
    },
  };
}

const valueOf = (payload: Uint8Array): string => (decodeEvent(named, payload) satisfies StringValue).value;

/** Reads the log to its end, from `cursor` on. */
async function follow(cursor = '', limit = 1_000, reader = log) {
  const values: string[] = [];
  const numbers: number[] = [];
  let next = cursor;
  for (;;) {
    const { changes, nextCursor, hasMore } = await reader.read(ctx, next, limit);
    values.push(...changes.map(({ payload }) => valueOf(payload)));
    numbers.push(...changes.map(({ number }) => number));
    next = nextCursor;
    if (!hasMore) return { values, numbers, cursor: next };
  }
}

const endOf = async (): Promise<string> => (await follow()).cursor;

describe('a record', () => {
  test('exists with its change and not without it', async () => {
    const end = await endOf();
    const aborted = await begin('aborted');
    await aborted.abort();
    await commit('committed');
    const { changes } = await log.read(ctx, end, 10);
    expect(changes).toMatchObject([
      { accountId: 'acc_1', subject: 'fairlead.test.thing.named.v1', occurredAt: clock.now() },
    ]);
    expect(changes.map(({ payload }) => valueOf(payload))).toEqual(['committed']);
  });

  test('is refused outside of a transaction', async () => {
    await store.client.withSession(async (session) => {
      await expect(append(session, 'alone')).rejects.toThrow('in the transaction that makes it');
    });
    expect((await follow()).values).toEqual([]);
  });
});

describe('a reader', () => {
  test('gets a late commit after a change that began later and was already read', async () => {
    const late = await begin('late');
    await commit('early');
    const first = await follow();
    expect(first.values).toEqual(['early']);
    await late.commit();
    expect((await follow(first.cursor)).values).toEqual(['late']);
    expect((await follow()).values).toEqual(['early', 'late']);
  });

  test('gets a change after those that were committed when it began, whatever their ids', async () => {
    const changes = store.collection(changeCollection);
    const values = Array.from({ length: 20 }, (_, index) => String(index));
    for (const [index, value] of values.entries()) {
      await changes.insertOne({
        // Writers create ids, and their clocks differ: here, ids run backwards.
        _id: ObjectId.createFromTime(1_000_000 - index),
        accountId: 'acc_1',
        subject: named.subject,
        payload: new Binary(Buffer.from([10, value.length, ...Buffer.from(value)])),
        occurredAt: new Date(clock.now().getTime() - index),
        writtenAt: new Timestamp({ t: 0, i: 0 }),
        number: 0,
      });
    }
    expect((await follow()).values).toEqual(values);
  });

  test('continues where it was, page by page, without a gap in the numbers', async () => {
    const end = await endOf();
    for (let count = 0; count < 7; count += 1) await commit(`${count}a`, `${count}b`);
    const { values, numbers } = await follow(end, 3);
    expect(values).toEqual(Array.from({ length: 7 }, (_, count) => [`${count}a`, `${count}b`]).flat());
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  test('gets large changes in pages that fit a message, each change once', async () => {
    const end = await endOf();
    const values = Array.from({ length: 6 }, (_, index) => String(index).repeat(400 * 1024));
    for (const value of values) await commit(value);
    const page = await log.read(ctx, end, 1_000);
    expect(page).toMatchObject({ changes: { length: 3 }, hasMore: true });
    expect((await follow(end)).values).toEqual(values);
  });

  test('gets the same as all others, each committed change once, in the order of commits, while all write and read at once', async () => {
    const end = await endOf();
    let isWriting = true;
    /** Values by writer and round; the transactions of one round overlapped. */
    const committed: string[][][] = [];
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      const rounds: string[][] = [];
      committed.push(rounds);
      for (let round = 0; round < 20; round += 1) {
        const name = `${writer}/${round}`;
        const open = await begin(`${name} outer`);
        if (round % 3 === 0) await commit(`${name} inner`);
        if (round % 5 === 4) await open.abort();
        else await open.commit();
        rounds.push([
          ...(round % 3 === 0 ? [`${name} inner`] : []),
          ...(round % 5 === 4 ? [] : [`${name} outer`]),
        ]);
      }
    });
    const readers = Array.from({ length: 3 }, async (_, reader) => {
      const own = createChangeLog({ store, clock });
      const values: string[] = [];
      const numbers: number[] = [];
      for (let cursor = end, isLast = false; !isLast;) {
        isLast = !isWriting;
        const page = await follow(cursor, reader * 3 + 1, own);
        values.push(...page.values);
        numbers.push(...page.numbers);
        cursor = page.cursor;
      }
      return { values, numbers };
    });
    await Promise.all(writers);
    isWriting = false;
    const [first = { values: [], numbers: [] }, ...others] = await Promise.all(readers);
    for (const other of others) expect(other).toEqual(first);
    expect(first.values.toSorted()).toEqual(committed.flat(2).toSorted());
    expect(first.numbers).toEqual(first.numbers.map((_, index) => (first.numbers[0] ?? 0) + index));
    for (const rounds of committed) {
      const places = rounds.map((round) => round.map((value) => first.values.indexOf(value)));
      for (const [index, later] of places.slice(1).entries()) {
        expect(Math.max(...(places[index] ?? []))).toBeLessThan(Math.min(...later));
      }
    }
  });

  test('that dies while it numbers leaves no gap and no duplicate', async () => {
    const end = await endOf();
    await commit('a', 'b');
    const dead = store.client.startSession();
    dead.startTransaction();
    await store.takeSequence(dead, 'changes', 2);
    await store
      .collection(changeCollection)
      .updateOne({ number: 0 }, { $set: { number: 1_000_000 } }, { session: dead });
    const reading = follow(end);
    // Ends the transaction like the server does when a process is gone.
    await dead.abortTransaction();
    await dead.endSession();
    const { values, numbers } = await reading;
    expect(values).toEqual(['a', 'b']);
    expect((numbers[1] ?? 0) - (numbers[0] ?? 0)).toBe(1);
    expect((await follow(end)).values).toEqual(['a', 'b']);
  });
});

describe('a cursor', () => {
  test('is valid for 30 days, and an older one is NOT_FOUND: nothing is skipped silently', async () => {
    await commit('a');
    const { cursor } = await follow();
    clock.advance(30 * DAY_MS);
    await commit('b');
    expect((await follow(cursor)).values).toEqual(['b']);
    clock.advance(HOUR_MS + 1);
    await expect(log.read(ctx, cursor, 10)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('of a page in the middle is as old as its last change', async () => {
    await commit('a', 'b');
    clock.advance(20 * DAY_MS);
    const { nextCursor } = await log.read(ctx, '', 1);
    clock.advance(11 * DAY_MS);
    await expect(log.read(ctx, nextCursor, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('of a first page is accepted, however old the oldest stored change is', async () => {
    await commit('a', 'b', 'c');
    clock.advance(30 * DAY_MS - 1);
    expect((await follow('', 2)).values).toEqual(['a', 'b', 'c']);
    clock.advance(1.5 * HOUR_MS);
    await commit('d', 'e', 'f');
    expect((await follow('', 2)).values).toEqual(['d', 'e', 'f']);
  });

  test('that is replaced when there is nothing new never expires', async () => {
    await commit('a');
    let { cursor } = await follow();
    for (let count = 0; count < 3; count += 1) {
      clock.advance(20 * DAY_MS);
      const page = await follow(cursor);
      expect(page.values).toEqual([]);
      cursor = page.cursor;
    }
    await commit('b');
    expect((await follow(cursor)).values).toEqual(['b']);
  });

  test.each([
    'x',
    'W10',
    Buffer.from('[-1,5]').toString('base64url'),
    Buffer.from('["1",5]').toString('base64url'),
  ])('that was never given, "%s", is a VALIDATION_ERROR', async (cursor) => {
    await expect(log.read(ctx, cursor, 10)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'cursor' }],
    });
  });
});

describe('an old record', () => {
  test('is no longer returned, read before or not, even if it is not deleted yet', async () => {
    await commit('read');
    await follow();
    await commit('unread');
    clock.advance(KEPT_MS);
    await commit('new');
    expect((await follow()).values).toEqual(['new']);
  });

  test('is deleted by the database, later than any accepted cursor needs it', () => {
    const expiry = changeCollection.indexes.find(
      ({ expireAfterSeconds }) => expireAfterSeconds !== undefined,
    );
    expect(expiry).toMatchObject({
      key: { occurredAt: 1 },
      expireAfterSeconds: (30 * DAY_MS + 2 * HOUR_MS) / 1000,
    });
  });
});

test('100 000 records are numbered and read by indexes, without a sort in memory', async () => {
  const changes = store.collection(changeCollection);
  const count = 100_000;
  const document = {
    accountId: 'acc_1',
    subject: named.subject,
    payload: new Binary(Buffer.from([10, 1, 65])),
    occurredAt: clock.now(),
    writtenAt: new Timestamp({ t: 0, i: 0 }),
  };
  const last = await store.nextSequence('changes');
  // Half of them are still unread.
  for (let from = 0; from < count; from += 10_000) {
    const numberOf = (index: number): number => (index < count / 2 ? last + 1 + index : 0);
    const batch = Array.from({ length: 10_000 }, (_, index) => ({
      ...document,
      number: numberOf(from + index),
    }));
    await changes.insertMany(batch);
  }
  await store.withTransaction((session) => store.takeSequence(session, 'changes', count / 2));
  await store.db.command({ profile: 2 });
  const middle = Buffer.from(JSON.stringify([last + count / 4, clock.now().getTime()])).toString('base64url');
  const end = Buffer.from(JSON.stringify([last + count / 2, clock.now().getTime()])).toString('base64url');
  for (const cursor of ['', middle, end])
    expect((await log.read(ctx, cursor, 1_000)).changes).toHaveLength(1_000);
  await store.db.command({ profile: 0 });

  const entries = await store.db
    .collection<{ planSummary?: string; hasSortStage?: boolean; docsExamined?: number }>('system.profile')
    .find({ ns: `${store.db.databaseName}.changes`, op: { $in: ['query', 'getmore', 'update'] } })
    .toArray();
  expect(entries.length).toBeGreaterThan(6);
  expect(entries.filter(({ planSummary }) => planSummary?.includes('COLLSCAN'))).toEqual([]);
  expect(entries.filter(({ hasSortStage }) => hasSortStage)).toEqual([]);
  expect(Math.max(...entries.map(({ docsExamined }) => docsExamined ?? 0))).toBeLessThanOrEqual(1_001);
});

describe('hints of new changes', () => {
  test('reach readers once a transaction has ended, as one message for what it recorded', async () => {
    const nats = await openTestNats();
    const { log: logger } = captureLog();
    const service = `test-${randomBase62(12)}`;
    let visible = 0;
    const hinted: number[] = [];
    subscribeToChangeHints(nats, (name) => {
      if (name === service) hinted.push(visible);
    });
    const publish = createChangeHints({ nats, service, log: logger });
    let ended = 0;
    log = createChangeLog({
      store,
      clock,
      onRecorded: () => {
        ended += 1;
        publish();
      },
    });
    // Repeated, because a hint before the subscription is lost.
    await vi.waitFor(() => {
      publish();
      expect(hinted.length).toBeGreaterThan(0);
    }, SOON);
    const begun = await begin('first');
    expect(ended).toBe(0);
    visible = 1;
    await begun.commit();
    await vi.waitUntil(() => hinted.includes(1), SOON);
    await commit('second', 'third');
    expect(ended).toBe(2);
  });

  test('are lost without harm while NATS is away, and what is told meanwhile is one message', async () => {
    const answers: PromiseWithResolvers<void>[] = [];
    const nats = {
      publish() {
        const answer = Promise.withResolvers<void>();
        answers.push(answer);
        return answer.promise;
      },
    };
    const publish = createChangeHints({ nats, service: 'test', log: captureLog().log });
    for (let at = 0; at < 5; at += 1) publish();
    expect(answers).toHaveLength(1);
    answers[0]?.reject(new Error('away'));
    await vi.waitUntil(() => answers.length === 2, SOON);
    answers[1]?.resolve();
    publish();
    await vi.waitUntil(() => answers.length === 3, SOON);
  });
});
