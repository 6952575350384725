import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sourceFiles } from './import-graph.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${ROOT}docs/glossary.md`, 'utf8');

/** The rows of the tables, without header rows. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, term]) => term !== 'term');

it('each term of the glossary stands once', () => {
  const terms = rows.flatMap(([, term = '']) => term.split(', '));
  expect(terms.length).toBeGreaterThan(50);
  expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
});

it('each symbol that the glossary names is in the code; rename it here, too', () => {
  const code = sourceFiles(ROOT).map((file) => readFileSync(`${ROOT}${file}`, 'utf8'));
  const symbols = rows.flatMap(([, , , where = '']) =>
    [...where.matchAll(/`([^`]+)`/g)].map(([, symbol = '']) => symbol),
  );
  const isThere = (symbol: string) =>
    symbol.includes('/')
      ? existsSync(`${ROOT}${symbol}`)
      : code.some((text) => new RegExp(`\\b${symbol}\\b`).test(text));
  expect(symbols.filter((symbol) => !isThere(symbol))).toEqual([]);
});
