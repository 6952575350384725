import { describe, expect, test } from 'vitest';
import { MADE_AT, testEntry } from '../testing/entries.ts';
import { EMPTY_CHAIN, findFault, headOf, mustExist, sealBatch } from './chain.ts';
import type { AuditBatch, ChainHead } from './chain.ts';
import type { AuditEntry } from './entry.ts';

const NOW = MADE_AT;
const DAY = 24 * 60 * 60_000;
const in_ = (ms: number) => new Date(NOW.getTime() + ms);

type Entries = [AuditEntry, ...AuditEntry[]];
const entries = (): Entries => [testEntry('aud_1'), testEntry('aud_2'), testEntry('aud_3')];
const seal = (head: ChainHead = EMPTY_CHAIN, of: Entries = entries()) => sealBatch(head, of, NOW);

describe('a batch that was sealed', () => {
  test('is found whole, and so is the one after it', () => {
    const first = seal();
    expect(findFault(undefined, first, entries(), NOW)).toBeUndefined();
    const second = seal(headOf(first));
    expect(second).toMatchObject({ sequence: 2, previousHash: first.hash, count: 3 });
    expect(findFault(headOf(first), second, entries(), NOW)).toBeUndefined();
  });

  test.each<[string, Partial<AuditEntry>]>([
    ['its id', { id: 'aud_x' }],
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
  ])('is broken when of one of its entries %s is changed', (_what, change) => {
    const changed = entries().with(1, testEntry('aud_2', change));
    expect(findFault(undefined, seal(), changed, NOW)).toEqual({
      sequence: 1,
      problem: 'An entry of the batch was changed, exchanged or moved.',
    });
  });

  test.each<[string, (of: AuditEntry[]) => AuditEntry[], string]>([
    ['is deleted', (of) => of.slice(1), 'The batch was sealed with 3 entries and has 2.'],
    ['is inserted', (of) => [...of, testEntry('aud_4')], 'The batch was sealed with 3 entries and has 4.'],
    ['changes places', (of) => of.toReversed(), 'An entry of the batch was changed, exchanged or moved.'],
    [
      'is exchanged',
      (of) => of.with(2, testEntry('aud_4')),
      'An entry of the batch was changed, exchanged or moved.',
    ],
  ])('is broken when an entry %s', (_what, tamper, problem) => {
    expect(findFault(undefined, seal(), tamper(entries()), NOW)).toEqual({ sequence: 1, problem });
  });

  test.each<[string, Partial<AuditBatch>]>([
    ['account', { accountId: 'acc_2' }],
    ['count', { count: 2 }],
    ['first entry', { firstEntryId: 'aud_2' }],
    ['last entry', { lastEntryId: 'aud_2' }],
    ['entries', { entriesHash: '' }],
    ['time', { sealedAt: in_(1) }],
    ['end of its entries', { entriesKeptUntil: in_(0) }],
    ['end', { keptUntil: in_(0) }],
    ['end of the batch before', { previousKeptUntil: in_(0) }],
    ['hash', { hash: '' }],
  ])('is broken when its %s is changed', (_what, change) => {
    expect(findFault(undefined, { ...seal(), ...change }, entries(), NOW)).toEqual({
      sequence: 1,
      problem: 'The batch was changed.',
    });
  });
});

describe('a chain', () => {
  test('names the first batch that is missing', () => {
    const first = seal();
    const second = seal(headOf(first));
    const third = seal(headOf(second));
    expect(findFault(headOf(first), third, entries(), NOW)).toEqual({
      sequence: 2,
      problem: 'The batch is missing.',
    });
    expect(findFault(undefined, second, entries(), NOW)).toEqual({
      sequence: 1,
      problem: 'The batch is missing.',
    });
  });

  test('is broken where a batch was made anew, entries and all', () => {
    const first = seal();
    const second = seal(headOf(first));
    const forged = seal(EMPTY_CHAIN, [testEntry('aud_forged')]);
    expect(findFault(undefined, forged, [testEntry('aud_forged')], NOW)).toBeUndefined();
    expect(findFault(headOf(forged), second, entries(), NOW)).toEqual({
      sequence: 2,
      problem: 'The batch is not linked to the one before it.',
    });
  });
});

describe('retention', () => {
  const LATER = in_(401 * DAY);

  test('entries whose time is over may be gone, the batch still links', () => {
    const batch = seal(EMPTY_CHAIN, [testEntry('aud_1'), testEntry('aud_2', { expiresAt: in_(500 * DAY) })]);
    expect(findFault(undefined, batch, [], NOW)?.problem).toContain('sealed with 2 entries and has 0');
    expect(findFault(undefined, batch, [], LATER)).toBeUndefined();
    expect(findFault(undefined, { ...batch, count: 1 }, [], LATER)?.problem).toBe('The batch was changed.');
  });

  test('a batch is kept at least as long as the one before it, so that only the start of a chain goes', () => {
    const long = seal(EMPTY_CHAIN, [testEntry('aud_1', { expiresAt: in_(500 * DAY) })]);
    const short = seal(headOf(long), [testEntry('aud_2', { expiresAt: in_(10 * DAY) })]);
    expect(short.keptUntil).toEqual(long.keptUntil);
    expect(mustExist(short.keptUntil, LATER)).toBe(true);
    expect(mustExist(short.keptUntil, in_(500 * DAY))).toBe(false);
  });

  test('the first batch that is left may be any one before which everything is over', () => {
    const first = seal();
    const second = sealBatch(headOf(first), [testEntry('aud_4', { expiresAt: in_(500 * DAY) })], NOW);
    expect(
      findFault(undefined, second, [testEntry('aud_4', { expiresAt: in_(500 * DAY) })], LATER),
    ).toBeUndefined();
  });
});
