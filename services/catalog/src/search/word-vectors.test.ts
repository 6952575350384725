import { expect, test } from 'vitest';
import { similarity } from './vectors.ts';
import { readWordVectors } from './word-vectors.ts';

const vectors = await readWordVectors();
const alike = (a: string, b: string): number => similarity(vectors.ofText(a), vectors.ofText(b), 0);

test.each([
  ['give the money back', 'refund a payment', 'play a song'],
  ['where is my parcel', 'track a shipment', 'list invoices'],
  ['Kalender, calendar!', 'Calendar', 'database'],
])('%j is more like %j than like %j', (text, near, far) => {
  expect(alike(text, near)).toBeGreaterThan(alike(text, far));
});

test('a text is equal to itself, whatever its case and accents', () => {
  expect(alike('List the cafés', 'list the cafes')).toBeCloseTo(1, 1);
});

test('a text without a known word is like nothing', () => {
  expect(vectors.ofText('qwxyzzq 4711')).toEqual(new Int8Array(vectors.dimensions));
  expect(alike('', 'invoice')).toBe(0);
});
