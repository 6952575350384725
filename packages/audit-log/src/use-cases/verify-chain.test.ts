import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, test } from 'vitest';
import { EMPTY_CHAIN, MAX_BATCH, headOf, sealBatch } from '../domain/chain.ts';
import type { ChainHead } from '../domain/chain.ts';
import type { AuditEntry } from '../domain/entry.ts';
import type { ClaimedEntry } from '../ports/audit-store.ts';
import { sealWithoutKey, testKeys } from '../testing/chains.ts';
import { MADE_AT, testEntry } from '../testing/entries.ts';
import { verifyChain } from './verify-chain.ts';
import type { VerifyChainDeps } from './verify-chain.ts';
import type { AuditBatch } from '../domain/batch.ts';

const YEARS_MS = 2 * 365 * 24 * 60 * 60_000;
const sealed = { keys: testKeys(1), now: MADE_AT };

/** A log of three batches of two entries each, and two unchained entries; tests remove parts of it. */
function wholeLog() {
  const batches: AuditBatch[] = [];
  const entries = new Map<unknown, AuditEntry[]>();
  let head: ChainHead = EMPTY_CHAIN;
  for (const sequence of [1, 2, 3]) {
    const pair = [testEntry(`aud_${sequence}_1`), testEntry(`aud_${sequence}_2`)] as const;
    const batch = sealBatch(head, pair, sealed);
    head = headOf(batch);
    batches.push(batch);
    entries.set(sequence, [...pair]);
  }
  return { batches, entries, head };
}

interface Log extends Omit<ReturnType<typeof wholeLog>, 'head'> {
  readonly head: ChainHead | undefined;
  /** The result of findLastClaim, which is read before the head. */
  readonly lastClaim?: ClaimedEntry;
}

function verify({ batches, entries, head, lastClaim }: Log, now = MADE_AT, keys = testKeys(1)) {
  const store: VerifyChainDeps['store'] = {
    findLastClaim: () => Promise.resolve(lastClaim),
    findHead: () => Promise.resolve(head),
    async *readBatches() {
      yield* await Promise.resolve(batches);
    },
    async *readClaims() {
      await Promise.resolve();
      for (const [batch, claiming] of entries) for (const entry of claiming) yield { batch, entry };
    },
    countUnchained: () => Promise.resolve(2),
  };
  return verifyChain({ store, rules: { keys, keyedSince: undefined, now } }, testContext(), 'acc_1');
}

const NOTHING = { fault: undefined, missingKeyId: undefined, keylessEntryCount: 0, unchainedCount: 2 };

test('a whole log has no fault, and the report says what was looked at', async () => {
  expect(await verify(wholeLog())).toEqual({
    ...NOTHING,
    batchCount: 3,
    entryCount: 6,
  });
});

test('a log without batches has no fault', async () => {
  const report = await verify({ batches: [], entries: new Map(), head: undefined });
  expect(report).toEqual({ ...NOTHING, batchCount: 0, entryCount: 0 });
});

test('a batch that is sealed meanwhile is behind the head that was read, and not looked at', async () => {
  const { batches, entries, head } = wholeLog();
  const next = sealBatch(head, [testEntry('aud_4')], sealed);
  entries.set(4, [testEntry('aud_4')]);
  const report = await verify({ batches: [...batches, next], entries, head });
  expect(report).toMatchObject({ fault: undefined, batchCount: 3 });
});

describe('the first batch that does not fit is named where', () => {
  test('an entry was changed', async () => {
    const log = wholeLog();
    log.entries.set(2, [testEntry('aud_2_1', { action: 'somethingElse' }), testEntry('aud_2_2')]);
    expect(await verify(log)).toMatchObject({
      fault: { sequence: 2, from: { position: 0, entryId: 'aud_2_1', afterEntryId: 'aud_1_2' } },
      batchCount: 1,
      entryCount: 2,
    });
  });

  test('a batch was taken out of the middle', async () => {
    const log = wholeLog();
    expect(await verify({ ...log, batches: log.batches.toSpliced(1, 1) })).toMatchObject({
      fault: { sequence: 2, problem: 'The batch is missing.' },
    });
  });

  test('the end was cut off', async () => {
    const log = wholeLog();
    expect(await verify({ ...log, batches: log.batches.slice(0, 2) })).toMatchObject({
      fault: { sequence: 3, problem: 'The batch is missing.' },
    });
  });

  test('everything but the head is gone', async () => {
    expect(await verify({ ...wholeLog(), batches: [], entries: new Map() })).toMatchObject({
      fault: { sequence: 3, problem: 'The batch is missing.' },
    });
  });

  test('the last batch is not the one that ended the chain', async () => {
    const log = wholeLog();
    expect(await verify({ ...log, head: { ...log.head, hash: 'another' } })).toMatchObject({
      fault: { sequence: 3, problem: 'The batch is not the one that ended the chain.' },
    });
  });

  test('a batch was taken away, and its entries left', async () => {
    const log = wholeLog();
    const fault = { sequence: 2, problem: 'The batch is missing.', from: { entryId: 'aud_2_1' } };
    expect(await verify({ ...log, batches: log.batches.toSpliced(1, 1) })).toMatchObject({ fault });
  });

  test('entries claim a batch that was never sealed', async () => {
    const lastClaim = { batch: 9, entry: testEntry('aud_9') };
    expect(await verify({ ...wholeLog(), lastClaim })).toMatchObject({
      fault: {
        sequence: 9,
        problem: expect.stringContaining('never sealed') as unknown,
        from: { entryId: 'aud_9', afterEntryId: 'aud_3_2' },
      },
    });
  });

  test.each<[string, unknown, number]>([
    ['before the first', -1, 1],
    ['between two', 2.5, 3],
    ['of no number', 'x', 3],
  ])('an entry hides in a batch %s', async (_what, batch, sequence) => {
    const { entries, ...log } = wholeLog();
    // In the database's sort order.
    const strays: [unknown, AuditEntry[]] = [batch, [testEntry('aud_x')]];
    const hidden = [...entries, strays].toSorted(([a], [b]) =>
      a === 'x' ? 1 : b === 'x' ? -1 : Number(a) - Number(b),
    );
    expect(await verify({ ...log, entries: new Map(hidden) })).toMatchObject({
      fault: {
        sequence,
        problem: expect.stringContaining('never sealed') as unknown,
        from: { entryId: 'aud_x' },
      },
    });
  });

  test('an entry has an id of another type', async () => {
    const log = wholeLog();
    log.entries.set(2, [testEntry({ a: 1 } as never)]);
    expect(await verify(log)).toMatchObject({ fault: { sequence: 2, from: { entryId: '{"a":1}' } } });
  });

  test('the first batch has no whole number', async () => {
    const log = wholeLog();
    const batches = log.batches.with(0, {
      ...sealBatch(EMPTY_CHAIN, [testEntry('aud_1')], sealed),
      sequence: Number.NaN,
    });
    expect(await verify({ ...log, batches })).toMatchObject({ fault: { sequence: 0 } });
  });

  test('entries were added to a batch, however many', async () => {
    const log = wholeLog();
    const more = Array.from({ length: 2 * MAX_BATCH }, (_, at) => testEntry(`aud_more_${at}`));
    log.entries.get(3)?.push(...more);
    expect(await verify(log)).toMatchObject({ fault: { sequence: 3, from: { entryId: 'aud_more_0' } } });
  });
});

test('what only its time has ended is not missing', async () => {
  const later = new Date(MADE_AT.getTime() + YEARS_MS);
  const { head } = wholeLog();
  expect(await verify({ batches: [], entries: new Map(), head }, later)).toMatchObject({
    fault: undefined,
    batchCount: 0,
  });
});

test('a key that is not configured is named, with how far the log was verified, and is no fault', async () => {
  const { batches, entries, head } = wholeLog();
  const next = sealBatch(head, [testEntry('aud_4_1')], { ...sealed, keys: testKeys(2) });
  entries.set(4, [testEntry('aud_4_1')]);
  const log = { batches: [...batches, next], entries, head: headOf(next) };
  expect(await verify(log)).toEqual({ ...NOTHING, missingKeyId: 'v2', batchCount: 3, entryCount: 6 });
  expect(await verify(log, MADE_AT, testKeys(2, 1))).toMatchObject({
    missingKeyId: undefined,
    batchCount: 4,
  });
});

test('entries of batches without a key are counted', async () => {
  const pair = [testEntry('aud_1_1'), testEntry('aud_1_2')] as const;
  const first = sealWithoutKey(EMPTY_CHAIN, pair, MADE_AT);
  const second = sealBatch(headOf(first), [testEntry('aud_2_1')], sealed);
  const entries = new Map<unknown, AuditEntry[]>([
    [1, [...pair]],
    [2, [testEntry('aud_2_1')]],
  ]);
  expect(await verify({ batches: [first, second], entries, head: headOf(second) })).toEqual({
    ...NOTHING,
    batchCount: 2,
    entryCount: 3,
    keylessEntryCount: 2,
  });
});
