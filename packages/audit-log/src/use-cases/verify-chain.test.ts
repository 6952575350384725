import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, test } from 'vitest';
import { EMPTY_CHAIN, headOf, sealBatch } from '../domain/chain.ts';
import type { AuditBatch, ChainHead } from '../domain/chain.ts';
import type { AuditEntry } from '../domain/entry.ts';
import { MADE_AT, testEntry } from '../testing/entries.ts';
import { verifyChain } from './verify-chain.ts';
import type { VerifyChainDeps } from './verify-chain.ts';

const YEARS_MS = 2 * 365 * 24 * 60 * 60_000;

/** A log of three batches of two entries each, and two entries that are in none; tests take parts of it away. */
function wholeLog() {
  const batches: AuditBatch[] = [];
  const entries = new Map<number, AuditEntry[]>();
  let head: ChainHead = EMPTY_CHAIN;
  for (const sequence of [1, 2, 3]) {
    const pair = [testEntry(`aud_${sequence}_1`), testEntry(`aud_${sequence}_2`)] as const;
    const batch = sealBatch(head, pair, MADE_AT);
    head = headOf(batch);
    batches.push(batch);
    entries.set(sequence, [...pair]);
  }
  return { batches, entries, head, claimed: 3 };
}

type Log = Omit<ReturnType<typeof wholeLog>, 'head'> & { readonly head: ChainHead | undefined };

function verify({ batches, entries, head, claimed }: Log, now = MADE_AT) {
  const store: VerifyChainDeps['store'] = {
    lastClaimedBatch: () => Promise.resolve(claimed),
    findHead: () => Promise.resolve(head),
    async *readBatches() {
      yield* await Promise.resolve(batches);
    },
    entriesOf: (_ctx, _accountId, sequence) => Promise.resolve(entries.get(sequence) ?? []),
    countUnchained: () => Promise.resolve(2),
  };
  return verifyChain({ store, clock: new ManualClock(now) }, testContext(), 'acc_1');
}

test('a whole log has no fault, and the report says what was looked at', async () => {
  expect(await verify(wholeLog())).toEqual({
    fault: undefined,
    batchCount: 3,
    entryCount: 6,
    unchainedCount: 2,
  });
});

test('a log without batches has no fault', async () => {
  const report = await verify({ batches: [], entries: new Map(), head: undefined, claimed: 0 });
  expect(report).toEqual({ fault: undefined, batchCount: 0, entryCount: 0, unchainedCount: 2 });
});

test('a batch that is sealed meanwhile is behind the head that was read, and not looked at', async () => {
  const { batches, entries, head, claimed } = wholeLog();
  const next = sealBatch(head, [testEntry('aud_4')], MADE_AT);
  const report = await verify({ batches: [...batches, next], entries, head, claimed });
  expect(report).toMatchObject({ fault: undefined, batchCount: 3 });
});

describe('the first batch that does not fit is named where', () => {
  test('an entry was changed', async () => {
    const log = wholeLog();
    log.entries.set(2, [testEntry('aud_2_1', { action: 'somethingElse' }), testEntry('aud_2_2')]);
    expect(await verify(log)).toMatchObject({ fault: { sequence: 2 }, batchCount: 1, entryCount: 2 });
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
    expect(await verify({ ...wholeLog(), batches: [], claimed: 0 })).toMatchObject({
      fault: { sequence: 3, problem: 'The batch is missing.' },
    });
  });

  test('the last batch is not the one that ended the chain', async () => {
    const log = wholeLog();
    expect(await verify({ ...log, head: { ...log.head, hash: 'another' } })).toMatchObject({
      fault: { sequence: 3, problem: 'The batch is not the one that ended the chain.' },
    });
  });

  test('entries claim a batch that was never sealed', async () => {
    expect(await verify({ ...wholeLog(), claimed: 9 })).toMatchObject({
      fault: { sequence: 9, problem: expect.stringContaining('never sealed') as unknown },
    });
  });
});

test('what only its time has ended is not missing', async () => {
  const later = new Date(MADE_AT.getTime() + YEARS_MS);
  const { head } = wholeLog();
  expect(await verify({ batches: [], entries: new Map(), head, claimed: 0 }, later)).toMatchObject({
    fault: undefined,
    batchCount: 0,
  });
});
