import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sourceFiles } from './import-graph.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GENERATED = /\/gen\//;

test('nine of ten files have at most 250 lines, and none has more than 400', () => {
  const sizes = sourceFiles(ROOT)
    .filter((file) => !GENERATED.test(file))
    .map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 }))
    .toSorted((a, b) => a.lines - b.lines);
  expect(sizes.length).toBeGreaterThan(1_000);
  expect(sizes.filter(({ lines }) => lines > 400)).toEqual([]);
  expect(sizes[Math.floor(sizes.length * 0.9)]?.lines).toBeLessThanOrEqual(250);
});
