import { ManualClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, test } from 'vitest';
import { EMPTY_CHAIN, headOf } from '../domain/chain.ts';
import type { AuditEntry } from '../domain/entry.ts';
import type { AuditStore } from '../ports/audit-store.ts';
import { testKeys } from '../testing/chains.ts';
import { MADE_AT, testEntry } from '../testing/entries.ts';
import { chainEntries } from './chain-entries.ts';
import type { KeyedBatch } from '../domain/batch.ts';

const SOON = new Date(MADE_AT.getTime() + 1_000);

/** Logs with these numbers of unchained entries, and a lease that is granted this many times. */
function setUp(unchained: Readonly<Record<string, number>>, leaseLasts = Number.POSITIVE_INFINITY) {
  const waiting = new Map(
    Object.entries(unchained).map(([accountId, count]): [string, AuditEntry[]] => [
      accountId,
      Array.from({ length: count }, (_, at) => testEntry(`aud_${at}`, { accountId })),
    ]),
  );
  const batches: KeyedBatch[] = [];
  const store: Pick<AuditStore, 'findUnchainedLogs' | 'chain'> = {
    findUnchainedLogs: () => Promise.resolve([...waiting.keys()]),
    chain(accountId, limit, seal) {
      const [first, ...others] = waiting.get(accountId)?.splice(0, limit) ?? [];
      if (first === undefined) return Promise.resolve(undefined);
      const last = batches.findLast((batch) => batch.accountId === accountId);
      const batch = seal(last === undefined ? EMPTY_CHAIN : headOf(last), [first, ...others]);
      batches.push(batch);
      return Promise.resolve(batch);
    },
  };
  let questions = 0;
  const lease = { hold: () => Promise.resolve((questions += 1) <= leaseLasts) };
  const { log, lines } = captureLog();
  const chain = (signal = new AbortController().signal) =>
    chainEntries({ store, lease, keys: testKeys(1), clock: new ManualClock(SOON), log }, signal);
  return { batches, lines, chain };
}

test('every log that has unchained entries gets a batch, sealed now, whose hash stands in the service’s log', async () => {
  const { batches, lines, chain } = setUp({ acc_1: 2, acc_2: 1 });
  await chain();
  expect(batches).toMatchObject([
    { accountId: 'acc_1', sequence: 1, count: 2, sealedAt: SOON, keyId: 'v1' },
    { accountId: 'acc_2', sequence: 1, count: 1, sealedAt: SOON, keyId: 'v1' },
  ]);
  expect(lines()).toMatchObject(
    batches.map(({ accountId, sequence, count, hash }) => ({ accountId, sequence, count, hash })),
  );
});

test('a log with more entries than a batch takes gets several, each linked to the one before', async () => {
  const { batches, chain } = setUp({ acc_1: 1_100 });
  await chain();
  expect(batches.map(({ count }) => count)).toEqual([500, 500, 100]);
  expect(batches[2]).toMatchObject({ sequence: 3, previousHash: batches[1]?.hash });
});

test('nothing is chained while another replica has the lease, and nothing more once it is lost', async () => {
  const without = setUp({ acc_1: 1 }, 0);
  await without.chain();
  expect(without.batches).toEqual([]);
  const lost = setUp({ acc_1: 1_100 }, 1);
  await lost.chain();
  expect(lost.batches).toHaveLength(1);
});

test('a stop ends it after the batch at hand', async () => {
  const { batches, chain } = setUp({ acc_1: 1 });
  await chain(AbortSignal.abort());
  expect(batches).toEqual([]);
});
