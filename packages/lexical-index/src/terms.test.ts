import { expect, it } from 'vitest';
import { createLexicalIndex } from './lexical-index.ts';
import type { SearchTerm, SearchWord } from './search-index.ts';

const index = createLexicalIndex(
  ['invoice', 'invoices overdue', 'contact', 'cantact'].map((name, at) => ({
    slug: `tool-${at}`,
    name,
    description: '',
    category: '',
    application: '',
  })),
  (item) => item,
);

const term = (weight: number, ...words: readonly SearchWord[]): SearchTerm => ({ words, weight });
const word = (text: string, match: SearchWord['match'], quality = 1): SearchWord => ({
  word: text,
  quality,
  match,
});

it('an item with any word of a term matches, as well as the word does', async () => {
  const [invoice = 0, , contact = 0] = await index.scores('x', [
    term(1, word('contact', 'whole'), word('invoice', 'whole', 0.5)),
  ]);
  expect(contact).toBeGreaterThan(invoice);
  expect(invoice).toBeGreaterThan(0);
});

it('a term counts by its weight', async () => {
  const [invoice = 0, , contact = 0] = await index.scores('x', [
    term(3, word('invoice', 'whole')),
    term(1, word('contact', 'whole')),
  ]);
  expect(invoice / contact).toBeCloseTo(3);
});

it.each([
  ['whole', [1, 0]],
  ['beginning', [1, 0]],
  ['typed', [1, 1]],
] as const)('a word that is matched as %s finds what is allowed', async (match, found) => {
  const scores = await index.scores('x', [term(1, word('contact', match))]);
  expect(Array.from(scores.slice(2), (score) => (score > 0 ? 1 : 0))).toEqual(found);
});

it('a beginning finds longer words', async () => {
  const begun = await index.scores('x', [term(1, word('invo', 'beginning'))]);
  const whole = await index.scores('x', [term(1, word('invo', 'whole'))]);
  expect([begun[0] !== 0, whole[0] !== 0]).toEqual([true, false]);
});
