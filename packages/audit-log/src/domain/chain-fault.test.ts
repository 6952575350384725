import { describe, expect, test } from 'vitest';
import { sealWithoutKey, testKeys } from '../testing/chains.ts';
import { MADE_AT, testEntry } from '../testing/entries.ts';
import { hashOfBatch } from './batch-hashes.ts';
import { findFault } from './chain-fault.ts';
import type { ChainFault, Verification } from './chain-fault.ts';
import { EMPTY_CHAIN, headOf, mustExist, sealBatch } from './chain.ts';
import type { ChainHead } from './chain.ts';
import type { AuditEntry } from './entry.ts';
import type { AuditBatch, KeyedBatch } from './batch.ts';

const NOW = MADE_AT;
const DAY = 24 * 60 * 60_000;
const in_ = (ms: number) => new Date(NOW.getTime() + ms);
const rules: Verification = { keys: testKeys(1), keyedSince: undefined, now: NOW };

type Entries = [AuditEntry, ...AuditEntry[]];
const entries = (): Entries => [testEntry('aud_1'), testEntry('aud_2'), testEntry('aud_3')];
const seal = (head: ChainHead = EMPTY_CHAIN, of: Entries = entries(), keys = testKeys(1)) =>
  sealBatch(head, of, { keys, now: NOW });
/** The fault of the first batch, as `[problem, entry, entry before it]`. */
function faultOf(batch: AuditBatch, of: readonly AuditEntry[] = entries(), o = rules) {
  const { sequence, problem, from } = findFault(undefined, batch, of, o) as ChainFault;
  expect(sequence).toBe(1);
  return [problem, from.entryId, from.afterEntryId];
}

describe('a batch that was sealed', () => {
  test('is found whole, and so is the one after it', () => {
    const first = seal();
    expect(findFault(undefined, first, entries(), rules)).toBeUndefined();
    const second = seal(headOf(first));
    expect(second).toMatchObject({ sequence: 2, previousHash: first.hash, count: 3, keyId: 'v1' });
    expect(findFault(first, second, entries(), rules)).toBeUndefined();
  });

  test.each<[string, Partial<AuditEntry>]>([
    ['its account', { accountId: 'acc_2' }],
    ['its time', { createdAt: in_(1) }],
    ['its end', { expiresAt: in_(DAY) }],
    [
      'the kind of its actor',
      { actor: { kind: 'operator', userId: 'usr_1', credentialType: 'apiKey', credentialId: 'key_1' } },
    ],
    [
      'its user',
      { actor: { kind: 'user', userId: 'usr_2', credentialType: 'apiKey', credentialId: 'key_1' } },
    ],
    [
      'its credential',
      { actor: { kind: 'user', userId: 'usr_1', credentialType: 'apiKey', credentialId: 'key_2' } },
    ],
    [
      'the type of its credential',
      { actor: { kind: 'user', userId: 'usr_1', credentialType: 'bearer', credentialId: 'key_1' } },
    ],
    ['its action', { action: 'deleteConnection' }],
    ['the type of its resource', { resource: { type: 'user', id: '7' } }],
    ['the id of its resource', { resource: { type: 'connection', id: '8' } }],
    ['its resource', { resource: null }],
    ['its outcome', { outcome: 'failed' }],
    ['its request', { requestId: 'req-2' }],
    ['its details', { details: null }],
    // A database may contain anything that an attacker writes into it.
    ['the type of its time', { createdAt: 'yesterday' as unknown as Date }],
  ])('is broken from the entry on of which %s is changed', (_what, change) => {
    const changed = entries().with(1, testEntry('aud_2', change));
    expect(faultOf(seal(), changed)).toEqual(['An entry was changed.', 'aud_2', 'aud_1']);
  });

  test.each<[string, (of: AuditEntry[]) => AuditEntry[], [string, string, string | null]]>([
    ['is deleted', (of) => of.slice(1), ['An entry is missing.', 'aud_1', null]],
    ['is deleted at the end', (of) => of.slice(0, 2), ['An entry is missing.', 'aud_3', 'aud_2']],
    [
      'is inserted',
      (of) => of.toSpliced(1, 0, testEntry('aud_x')),
      ['An entry was inserted.', 'aud_x', 'aud_1'],
    ],
    [
      'is inserted at the end',
      (of) => [...of, testEntry('aud_x')],
      ['An entry was inserted.', 'aud_x', 'aud_3'],
    ],
    ['is exchanged', (of) => of.with(2, testEntry('aud_x')), ['An entry was inserted.', 'aud_x', 'aud_2']],
    ['changes places', (of) => of.toReversed(), ['An entry was moved.', 'aud_1', null]],
    ['is there twice', (of) => [...of, of[0] ?? testEntry('')], ['An entry was moved.', 'aud_1', 'aud_3']],
  ])('is broken from the entry on that %s', (_what, tamper, fault) => {
    expect(faultOf(seal(), tamper(entries()))).toEqual(fault);
  });

  test.each<[string, Partial<KeyedBatch>]>([
    ['count', { count: 2 }],
    ['first entry', { firstEntryId: 'aud_2' }],
    ['last entry', { lastEntryId: 'aud_2' }],
    ['time', { sealedAt: in_(1) }],
    ['end of its entries', { entriesKeptUntil: in_(0) }],
    ['end', { keptUntil: in_(0) }],
    ['end of the batch before', { previousKeptUntil: in_(0) }],
    ['hash', { hash: '' }],
    ['account', { accountId: 'acc_2' }],
    ['type of time', { sealedAt: 7 as unknown as Date }],
  ])('is broken after its last entry when its %s is changed', (_what, change) => {
    expect(faultOf({ ...seal(), ...change })).toEqual(['The batch was changed.', null, 'aud_3']);
  });

  test.each([7, null])('is broken from its first entry on if its key is %j', (keyId) => {
    const batch = { ...seal(), keyId } as unknown as AuditBatch;
    expect(faultOf(batch)).toEqual(['The batch was changed.', 'aud_1', null]);
  });

  test('is broken from its first entry on if it names none', () => {
    const none = { ...seal(), entries: undefined } as unknown as AuditBatch;
    expect(faultOf(none).slice(1)).toEqual(['aud_1', null]);
  });
});

describe('who lacks the key', () => {
  /** The first batch rebuilt with other entries, by an attacker with another key of the same id. */
  const forged = (of: Entries): KeyedBatch => ({
    ...seal(EMPTY_CHAIN, of, { ...testKeys(2), current: 'v2' }),
    keyId: 'v1',
  });
  /** The most skilful attack: the MACs before the change are genuine, and those after it are forged. */
  const patched = (of: Entries): KeyedBatch => {
    const genuine = new Map(seal().entries.map(({ id, mac }) => [id, mac]));
    const made = forged(of);
    return { ...made, entries: made.entries.map(({ id, mac }) => ({ id, mac: genuine.get(id) ?? mac })) };
  };
  const DOUBTFUL = 'An entry was changed or inserted, or one before it was removed.';

  test('cannot change an entry, though the whole batch is made anew', () => {
    const changed = entries().with(1, testEntry('aud_2', { action: 'x' })) as Entries;
    expect(faultOf(patched(changed), changed)).toEqual([DOUBTFUL, 'aud_2', 'aud_1']);
    expect(faultOf(forged(changed), changed)).toEqual([DOUBTFUL, 'aud_1', null]);
  });

  test('cannot insert or remove one, though the whole batch is made anew', () => {
    const more = entries().toSpliced(1, 0, testEntry('aud_x')) as Entries;
    expect(faultOf(patched(more), more)).toEqual([DOUBTFUL, 'aud_x', 'aud_1']);
    const fewer = entries().toSpliced(1, 1) as Entries;
    // No trace of aud_2 is left.
    expect(faultOf(patched(fewer), fewer)).toEqual([DOUBTFUL, 'aud_3', 'aud_1']);
    const shorter = entries().slice(0, 2) as Entries;
    expect(faultOf(patched(shorter), shorter)).toEqual(['The batch was changed.', null, 'aud_2']);
  });

  test('cannot move a batch to another account or place', () => {
    const moved = entries().map((entry) => ({ ...entry, accountId: 'acc_2' })) as Entries;
    expect(faultOf({ ...seal(), accountId: 'acc_2' }, moved)).toEqual([DOUBTFUL, 'aud_1', null]);
    const second = seal(headOf(seal()));
    const renumbered = { ...second, sequence: 1, previousHash: '' };
    expect(faultOf(renumbered).slice(1)).toEqual(['aud_1', null]);
  });

  test('cannot exchange the key for another configured one', () => {
    const swapped = { ...seal(), keyId: 'v2' };
    expect(faultOf(swapped, entries(), { ...rules, keys: testKeys(1, 2) }).slice(1)).toEqual(['aud_1', null]);
  });
});

describe('keys', () => {
  test('that are not current any more still verify, and a chain goes on under the next', () => {
    const first = seal();
    const keys = testKeys(2, 1);
    const second = seal(headOf(first), entries(), keys);
    expect(second.keyId).toBe('v2');
    expect(findFault(undefined, first, entries(), { ...rules, keys })).toBeUndefined();
    expect(findFault(first, second, entries(), { ...rules, keys })).toBeUndefined();
  });

  test('that are not configured are named, which is no fault', () => {
    expect(findFault(undefined, seal(), entries(), { ...rules, keys: testKeys(2) })).toEqual({
      missingKeyId: 'v1',
    });
  });

  test('a batch is sealed under a configured key only', () => {
    const keys = { ...testKeys(1), current: 'v9' };
    expect(() => seal(EMPTY_CHAIN, entries(), keys)).toThrow('the key v9');
  });
});

/** As written by the release before chain keys were introduced. */
const KNOWN_HASH = '5a6b8f3e740c0efc6c233e3061dbd78af2abb04173b957023ae68f6b66ea47cc';

describe('a batch without a key', () => {
  const keyless = (head: ChainHead = EMPTY_CHAIN, of: Entries = entries()) => sealWithoutKey(head, of, NOW);

  test('is accepted before the first one with a key, which commits to it', () => {
    const first = keyless();
    expect(findFault(undefined, first, entries(), rules)).toBeUndefined();
    expect(findFault(first, seal(headOf(first)), entries(), rules)).toBeUndefined();
    const forged = keyless(EMPTY_CHAIN, [testEntry('aud_forged')]);
    expect(findFault(forged, seal(headOf(first)), entries(), rules)).toMatchObject({
      problem: 'The batch is not linked to the one before it.',
      from: { entryId: 'aud_1', afterEntryId: 'aud_forged' },
    });
  });

  test('is a fault after one with a key', () => {
    const first = seal();
    expect(findFault(first, keyless(headOf(first)), entries(), rules)).toEqual({
      sequence: 2,
      problem: 'The batch has no key, unlike the one before it.',
      from: { position: 0, entryId: 'aud_1', afterEntryId: 'aud_3' },
    });
  });

  test('is a fault if it, or an entry of it, is of a time when every batch has one', () => {
    const late = 'The batch has no key, and is of a time when every batch has one.';
    expect(findFault(undefined, keyless(), entries(), { ...rules, keyedSince: in_(1) })).toBeUndefined();
    expect(faultOf(keyless(), entries(), { ...rules, keyedSince: NOW })[0]).toBe(late);
    const backdated = sealWithoutKey(EMPTY_CHAIN, entries(), in_(-DAY));
    expect(faultOf(backdated, entries(), { ...rules, keyedSince: NOW })[0]).toBe(late);
  });

  test.each<[string, (of: AuditEntry[]) => AuditEntry[], string]>([
    ['is deleted', (of) => of.slice(1), 'The batch was sealed with 3 entries and has 2.'],
    [
      'is changed',
      (of) => of.with(1, testEntry('aud_2', { action: 'x' })),
      'An entry of the batch was changed, exchanged or moved.',
    ],
  ])('is broken when an entry %s and its hashes stay', (_what, tamper, problem) => {
    expect(faultOf(keyless(), tamper(entries()))[0]).toBe(problem);
  });

  test('is broken when it is changed and its hash stays', () => {
    expect(faultOf({ ...keyless(), count: 2 })[0]).toBe('The batch was changed.');
  });

  test('that another release sealed has the hash that this one checks', () => {
    const { hash, ...batch } = keyless(EMPTY_CHAIN, [testEntry('aud_1')]);
    expect([hash, hashOfBatch(batch)]).toEqual([KNOWN_HASH, KNOWN_HASH]);
  });
});

describe('a chain', () => {
  test('names the first batch that is missing', () => {
    const first = seal();
    const second = seal(headOf(first));
    const third = seal(headOf(second));
    expect(findFault(first, third, entries(), rules)).toEqual({
      sequence: 2,
      problem: 'The batch is missing.',
      from: { position: 0, entryId: null, afterEntryId: 'aud_3' },
    });
    expect(findFault(undefined, second, entries(), rules)).toEqual({
      sequence: 1,
      problem: 'The batch is missing.',
      from: { position: 0, entryId: null, afterEntryId: null },
    });
  });

  test('is broken where a batch was made anew, entries and all', () => {
    const second = seal(headOf(seal()));
    const forged = seal(EMPTY_CHAIN, [testEntry('aud_forged')]);
    expect(findFault(forged, second, entries(), rules)).toMatchObject({
      sequence: 2,
      problem: 'The batch is not linked to the one before it.',
    });
  });
});

describe('retention', () => {
  const LATER = in_(401 * DAY);
  const later = { ...rules, now: LATER };

  test('entries whose time is over may be gone, the batch still links', () => {
    const batch = seal(EMPTY_CHAIN, [testEntry('aud_1'), testEntry('aud_2', { expiresAt: in_(500 * DAY) })]);
    expect(faultOf(batch, [])).toEqual(['An entry is missing.', 'aud_1', null]);
    expect(findFault(undefined, batch, [], later)).toBeUndefined();
    const forged = { ...batch, count: 1 };
    expect(faultOf(forged, [], later)[0]).toBe('An entry is missing.');
  });

  test('a batch is kept at least as long as the one before it, so that only the start of a chain goes', () => {
    const long = seal(EMPTY_CHAIN, [testEntry('aud_1', { expiresAt: in_(500 * DAY) })]);
    const short = seal(headOf(long), [testEntry('aud_2', { expiresAt: in_(10 * DAY) })]);
    expect(short.keptUntil).toEqual(long.keptUntil);
    expect(mustExist(short.keptUntil, LATER)).toBe(true);
    expect(mustExist(short.keptUntil, in_(500 * DAY))).toBe(false);
  });

  test('the first batch that is left may be any one before which everything is over', () => {
    const kept: Entries = [testEntry('aud_4', { expiresAt: in_(500 * DAY) })];
    expect(findFault(undefined, seal(headOf(seal()), kept), kept, later)).toBeUndefined();
  });
});
