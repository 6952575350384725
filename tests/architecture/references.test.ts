import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sourceFiles } from './import-graph.ts';
import { markdownFiles } from './language/riddles.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Matches a link to a file of this repository, without its anchor. */
const RELATIVE_LINK = /\]\((?![a-z]+:|#|\/)([^)#\s]+)/g;
/** A file in a code span, by its path from the root. */
const NAMED_FILE =
  /`((?:packages|services|tests|connectors|deploy|docs|proto|samples|tools|clients)\/[\w./-]+\.(?:ts|js|json|md|proto|py|tsv|yaml))`/g;
/** A row of the contract, by its id. */
const COMPLETION_ROW = /\bcompletion\.[a-z-]+\.\d+\b/g;

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const written = [...markdownFiles(), ...sourceFiles(ROOT)].filter((file) => !file.includes('.test.'));
const rows = new Set(
  ['rows.tsv', 'completion-rows.tsv'].flatMap((table) =>
    read(`tests/contract/${table}`)
      .split('\n')
      .map((line) => line.split('\t', 1)[0] ?? ''),
  ),
);

test('each link between pages and files leads to one that is there', () => {
  const broken = markdownFiles().flatMap((page) =>
    [
      ...read(page)
        .replaceAll(/^```[\s\S]*?^```/gm, '')
        .matchAll(RELATIVE_LINK),
    ]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
      .map((target) => `${page} → ${target}`),
  );
  expect(broken).toEqual([]);
});

test('each file that a page names by its path is there', () => {
  const named = markdownFiles().flatMap((page) =>
    [...read(page).matchAll(NAMED_FILE)].map(([, path = '']) => ({ page, path })),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('each row of the contract that code or a page names is a row', () => {
  const named = written.flatMap((file) =>
    [...read(file).matchAll(COMPLETION_ROW)].map(([row]) => ({ file, row })),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(({ row }) => !rows.has(row))).toEqual([]);
});

test('nothing refers to a page that is not in the repository', () => {
  const naming = written.filter((file) =>
    /\b(?:completion|developer-api|clarifications)\.md\b/.test(read(file)),
  );
  expect(naming).toEqual([]);
});
