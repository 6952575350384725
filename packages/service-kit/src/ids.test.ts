import { expect, it } from 'vitest';
import {
  derivedId,
  firstPrefixedId,
  guid,
  isGuid,
  prefixedId,
  randomBase62,
  timeOfPrefixedId,
  uuidv7,
} from './ids.ts';

it('a version 7 UUID carries its time and its version', () => {
  const id = uuidv7(new Date(0x0123_4567_89ab));
  expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it('ids of one millisecond sort in the order in which they were made', () => {
  const now = new Date();
  const ids = Array.from({ length: 2_000 }, () => uuidv7(now));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

it('ids of later milliseconds sort behind', () => {
  const earlier = uuidv7(new Date(1_000));
  expect(uuidv7(new Date(1_001)) > earlier).toBe(true);
});

it('prefixed ids sort by time, have one length and are unique', () => {
  const ids = Array.from({ length: 500 }, () => prefixedId('acc'));
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^acc_[0-9A-Za-z]{22}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

it('the ids of a time begin at their bound', () => {
  const time = new Date('2026-11-23T10:00:00.000Z');
  const bound = firstPrefixedId('te', time);
  expect(bound).toMatch(/^te_[0-9A-Za-z]{22}$/);
  expect(prefixedId('te', time) > bound).toBe(true);
  expect(prefixedId('te', new Date(time.getTime() - 1)) < bound).toBe(true);
  for (const id of [bound, prefixedId('te', time)]) expect(timeOfPrefixedId(id)).toEqual(time);
  expect(firstPrefixedId('te', new Date(-1))).toBe(firstPrefixedId('te', new Date(0)));
  expect(firstPrefixedId('te', new Date('9999-12-31T23:59:59.999Z')) > bound).toBe(true);
});

it('a derived id is the same for the same source, different for any other, and has the form of a prefixed one', () => {
  expect(derivedId('aud', 'identity 1')).toBe(derivedId('aud', 'identity 1'));
  const ids = Array.from({ length: 500 }, (_, index) => derivedId('aud', `identity ${index}`));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^aud_[0-9A-Za-z]{22}$/);
});

it('a GUID is recognised in any case and nothing else is', () => {
  expect(isGuid(guid())).toBe(true);
  expect(isGuid(guid().toUpperCase())).toBe(true);
  for (const text of ['', 'x', `${guid()}0`, guid().replaceAll('-', ''), `{${guid()}}`])
    expect(isGuid(text)).toBe(false);
});

it('base62 has the requested length and favours no character', () => {
  expect(randomBase62(0)).toBe('');
  expect(randomBase62(33)).toMatch(/^[0-9A-Za-z]{33}$/);
  const counts = new Map<string, number>();
  for (const c of randomBase62(62_000)) counts.set(c, (counts.get(c) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 1 000 of each are expected; the limits are six standard deviations.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(190);
});
