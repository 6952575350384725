import { array, assert, integer, nat, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { advanced, itemKey, MAX_KNOWN_ITEMS } from './poll-cursor.ts';
import type { PollCursor } from './poll-cursor.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const at = (ms: number): number => now.getTime() - 3_600_000 + ms;
const item = (id: string, ms: number): { key: string; timeMs: number } => ({
  key: itemKey(id, at(ms)),
  timeMs: at(ms),
});

test('a key stays short, whatever the id', () => {
  expect(itemKey('con_1', 5)).toBe('con_1@5');
  expect(itemKey('x'.repeat(10_000), 5).length).toBeLessThan(80);
  expect(itemKey('x'.repeat(10_000), 5)).not.toBe(itemKey('x'.repeat(10_001), 5));
});

test('a cursor that would hold too many keys starts later; those of one millisecond stay together', () => {
  const read = Array.from({ length: MAX_KNOWN_ITEMS + 3 }, (_value, index) => item(`t${index}`, index >> 1));
  const { cursor, gap } = advanced({ since: null, known: [] }, read, {
    overlapMs: 60_000,
    now,
    isWhole: true,
  });
  expect(cursor.since).toBe(new Date(at(2)).toISOString());
  expect(cursor.known).toEqual(read.slice(4).map(({ key }) => key));
  expect(gap).toBeUndefined();
});

test('more items of one millisecond than a cursor holds are a gap, unless all of them were read', () => {
  const read = Array.from({ length: MAX_KNOWN_ITEMS + 1 }, (_value, index) => item(`t${index}`, 7));
  const o = { overlapMs: 0, now };
  const before: PollCursor = { since: null, known: [] };
  const cut = advanced(before, read, { ...o, isWhole: false });
  expect(cut.cursor).toEqual({ since: new Date(at(8)).toISOString(), known: [] });
  expect(cut.gap).toMatchObject({ from: new Date(at(7)).toISOString(), to: new Date(at(8)).toISOString() });
  expect(advanced(before, read, { ...o, isWhole: true }).gap).toBeUndefined();
});

test('whatever is read, a cursor never goes back and knows every item that it will read again', () => {
  const itemOf = record({
    id: integer({ min: 0, max: 50 }),
    ms: integer({ min: 0, max: 4_000_000 }),
  });
  assert(
    property(array(array(itemOf, { maxLength: 20 }), { maxLength: 10 }), nat(60_000), (reads, overlapMs) => {
      let cursor: PollCursor = { since: null, known: [] };
      for (const one of reads) {
        const sinceMs = cursor.since === null ? 0 : Date.parse(cursor.since);
        const read = one.map(({ id, ms }) => item(String(id), ms)).filter(({ timeMs }) => timeMs >= sinceMs);
        const next = advanced(cursor, read, { overlapMs, now, isWhole: true }).cursor;
        const nextMs = next.since === null ? 0 : Date.parse(next.since);
        expect(nextMs).toBeGreaterThanOrEqual(sinceMs);
        expect(next.known).toEqual(
          expect.arrayContaining(read.filter(({ timeMs }) => timeMs >= nextMs).map(({ key }) => key)),
        );
        cursor = next;
      }
    }),
  );
});
