import { expect, test } from 'vitest';
import { shownName, shownText } from './shown-name.ts';

test('a text that is too long is cut after a whole word', () => {
  const words = 'for trying out connections and tools '.repeat(20);
  for (const cut of [shownName(words, ''), shownText(words)]) {
    expect(cut).toMatch(/ (?:for|trying|out|connections|and|tools)…$/);
    expect(words.startsWith(cut.slice(0, -1))).toBe(true);
  }
  expect(shownName(words, '').length).toBeLessThanOrEqual(80);
  expect(shownText(words).length).toBeLessThanOrEqual(300);
});

test('a text without spaces is cut where it must be, and a short one not at all', () => {
  expect(shownName('あ'.repeat(100), '')).toBe(`${'あ'.repeat(79)}…`);
  expect(shownName(`A ${'x'.repeat(100)}`, '')).toBe(`A ${'x'.repeat(77)}…`);
  expect(shownText('A small CRM.')).toBe('A small CRM.');
});

test('characters that hide or reverse text are left out; nothing left is the fallback', () => {
  expect(shownName('Ac\u200Bme\u202E \n Inc', 'x')).toBe('Acme Inc');
  expect(shownName('\u200B', 'the account')).toBe('the account');
});
