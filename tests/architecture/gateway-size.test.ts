import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../services/gateway/src', import.meta.url));
const FEWER_THAN = 10_000;

const files = globSync('**/*.ts', { cwd: SOURCES, exclude: ['**/*.test.ts'] });
const read = (file: string): string => readFileSync(`${SOURCES}/${file}`, 'utf8');

test('the gateway has fewer than 10 000 lines without its tests: what is no edge of ours stands in a package or service (ADR 52)', () => {
  const lines = files.map((file) => read(file).split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThan(FEWER_THAN);
});
