import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limitSections, limitsPage } from './page.ts';
import type { LimitSection } from './page.ts';
import { shown } from './units.ts';

const MAX_WORDS = 4_000;
const PLACEHOLDER = /\{[\w.:]+\}/g;
/** Numbers that are names: of documents, encodings, curves, products. */
const NAMES = /\bADR \d+|\bbase64\b|\bIPv6\b|\bUTF-8\b|\bP-\d+\b/g;
const FIGURE =
  /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|half|third|quarter|twice|double)\b/i;

const page = (): string => readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8');

/** The lines without the spaces that align tables. */
const plain = (text: string): readonly string[] =>
  text.split('\n').map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---'));

/** Texts of the list with figures that are not constants. */
function typedFigures(sections: readonly LimitSection[]): readonly string[] {
  return sections
    .flatMap(({ heading, text = '', after = '', rows }) => [
      heading,
      text,
      after,
      ...rows.flatMap(({ what, limit, beyond }) => [what, limit, beyond]),
    ])
    .filter((text) =>
      FIGURE.test(
        text
          .replaceAll(PLACEHOLDER, '')
          .replaceAll(/\]\([^)]*\)/g, ']')
          .replaceAll(NAMES, ''),
      ),
    );
}

function limitsOf(limit: string, from: readonly string[]): readonly LimitSection[] {
  return [
    { heading: 'H', level: 2, from: [], rows: [{ what: 'w', limit, beyond: 'CONFLICT', from: [...from] }] },
  ];
}

const IMPORTS = 'services/catalog/src/domain/imports.ts';

test('docs/limits.md has the figures of the code: run npm run generate', async () => {
  expect(plain(page())).toEqual(plain(await limitsPage()));
});

test('the list types no figure by hand', () => {
  expect(typedFigures(limitSections())).toEqual([]);
  expect(typedFigures(limitsOf('{MAX_IMPORTED} of 200 bytes', []))).toEqual(['{MAX_IMPORTED} of 200 bytes']);
  expect(typedFigures(limitsOf('ten of each', []))).toEqual(['ten of each']);
});

test('nearly every row shows a constant', () => {
  const rows = limitSections().flatMap((section) => section.rows);
  expect(rows.length).toBeGreaterThan(150);
  expect(rows.filter(({ from }) => from.length === 0).length).toBeLessThan(rows.length / 50);
});

test('a row shows the constant with its unit, and the code with its HTTP status', async () => {
  expect(await limitsPage(limitsOf('{MAX_IMPORTED:bytes}', [IMPORTS]))).toMatch(
    /\n\| w \| 100\u202Fbytes \| 409 CONFLICT \|\n$/,
  );
});

test.each([
  ['a constant that is gone', '{MAX_GONE}', [IMPORTS]],
  ['a member that is gone', '{RUN_LIMITS.gone}', ['services/tools/src/domain/workflow-run.ts']],
  ['a file that is gone', '{MAX_IMPORTED}', ['services/catalog/src/domain/gone.ts']],
  [
    'a file that declares nothing of the row',
    '{MAX_IMPORTED}',
    [IMPORTS, 'services/delivery/src/domain/replay.ts'],
  ],
  [
    'files with different values',
    '{MAX_FILES}',
    ['services/tools/src/domain/file.ts', 'services/tools/src/use-cases/files/keep-binary-output.ts'],
  ],
  [
    'a constant that is computed by a call',
    '{BYTE_HASHES.length}',
    ['packages/service-kit/src/json/name-counter.ts'],
  ],
  ['a variable without the same default in each service', '{SHUTDOWN_GRACE_MS}', ['settings']],
])('the page is not made with %s', async (_problem, limit, from) => {
  await expect(limitsPage(limitsOf(limit, from))).rejects.toThrow(Error);
});

test('the page has at most 4 000 words, bars of tables not counted', () => {
  const text = page()
    .replaceAll(/^\| -[-| ]*$/gm, '')
    .replaceAll('|', ' ');
  expect(text.split(/\s+/).filter((word) => word !== '').length).toBeLessThanOrEqual(MAX_WORDS);
});

test('each link within the page leads to a heading', () => {
  const headings = limitSections().map(({ heading }) => heading.toLowerCase().replaceAll(' ', '-'));
  const targets = [...page().matchAll(/\]\(#([^)]+)\)/g)].map(([, target]) => target);
  expect(targets.length).toBeGreaterThan(0);
  expect(targets.filter((target) => target === undefined || !headings.includes(target))).toEqual([]);
});

test.each([
  ['MAX_BYTES', undefined, 1_536, '1.5\u202FKiB'],
  ['MAX_BYTES', undefined, 1_000_000, '1\u202F000\u202F000\u202Fbytes'],
  ['o.heapMb', undefined, 96, '96\u202FMiB'],
  ['WAIT_MS', undefined, 90_000, '90\u202Fs'],
  ['WAIT_MS', undefined, 1_500, '1\u202F500\u202Fms'],
  ['KEPT_SECONDS', undefined, 7_776_000, '90\u202Fdays'],
  ['SHARE', 'percent', 0.5, '50\u202F%'],
  ['LADDER_MS', undefined, [60_000, 3_600_000], '1\u202Fmin and 1\u202Fh'],
  ['MAX_ITEMS', undefined, 10_000, '10\u202F000'],
])('%s with unit %s of %s is shown as %s', (path, unit, value, text) => {
  expect(shown(path, unit, value)).toBe(text);
});
