import { expect, test } from 'vitest';
import { FlaggedPlaces } from './flagged-places.ts';
import type { Place } from './flagged-places.ts';
import { flaggedSchema } from './flagged-schema.ts';
import type { FlaggedSchema } from './flagged-schema.ts';

const branches = Array.from({ length: 20 }, (_, i) => ({ properties: { [`p${i}`]: { writeOnly: true } } }));
const list = { items: { allOf: branches } };

test('the subschemas of items are put together once: each further item is one unit of work', () => {
  const places = new FlaggedPlaces(200);
  const root = open(places.of(reduced(list)));
  const first = places.item(root, 0);
  expect(places.item(root, 1)).toBe(first);
  for (let index = 2; index < 50; index += 1) expect(places.item(root, index)).toBe(first);
});

test('once the work is spent, every place is secret', () => {
  const places = new FlaggedPlaces(200);
  const root = open(places.of(reduced(list)));
  const item = open(places.item(root, 0));
  expect(places.member(item, 'q')).toBe('plain');
  for (let index = 1; index < 200; index += 1) places.item(root, index);
  expect(places.item(root, 0)).toBe('secret');
  expect(places.member(item, 'q')).toBe('secret');
});

test('a schema is reduced to what leads to a flag, once', () => {
  const schema = {
    properties: { a: { writeOnly: true }, b: { type: 'string' } },
    items: {},
    allOf: [{}, list],
  };
  const flagged = reduced(schema);
  expect([...flagged.members.keys()]).toEqual(['a']);
  expect(flagged.combined).toHaveLength(1);
  expect(flagged.rest).toBeUndefined();
  expect(flaggedSchema(schema)).toBe(flagged);
  expect(flaggedSchema({ $defs: { a: { writeOnly: true } } })).toBe('nothing');
});

function reduced(schema: Parameters<typeof flaggedSchema>[0]): FlaggedSchema {
  const flagged = flaggedSchema(schema);
  if (typeof flagged === 'string') throw new Error(flagged);
  return flagged;
}

function open(place: Place) {
  if (typeof place === 'string') throw new Error(place);
  return place;
}
