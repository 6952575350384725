import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Files that define accessors on single objects, and why that is cheap there. V8 creates a hidden class for each such object and keeps it
 * in the old generation, so everything that the accessors refer to is retained and copied (ADR 54).
 */
const ALLOWED = [
  // The session key of a handler's call, which costs a hash and is rarely read; collections in tools still take 2 to 4 ms.
  'packages/connector-runtime/src/runtime.ts',
  // Large outputs: parsing one costs more than the accessor.
  'services/tools/src/domain/execution.ts',
  'services/tools/src/masking/output-masker.ts',
  // One per process, or one per dialect.
  'packages/evaluation/src/json-schema/dialects.ts',
  'packages/local-stores/src/fetch-progress.ts',
  'packages/limiter/src/shared-counts.ts',
  'packages/lexical-index/src/vocabulary.ts',
  'services/tools/src/runs/run-drain.ts',
  // For an account's own application.
  'services/catalog/src/storage/account-application.repository.ts',
];

/**
 * Whether an accessor is part of an object literal (the enclosing block by indentation is not a class), or is defined by defineProperty.
 */
function hasOwnAccessor(source: string): boolean {
  if (/defineProperty\([^;]*?\{\s*[gs]et\b/.test(source)) return true;
  const lines = source.split('\n');
  const indent = (line: string): number => line.length - line.trimStart().length;
  return lines.some((line, at) => {
    if (!/^\s+[gs]et [#\w]+\(/.test(line)) return false;
    const enclosing = lines
      .slice(0, at)
      .findLast((before) => before.trim() !== '' && indent(before) < indent(line));
    return enclosing !== undefined && enclosing !== '{' && !/\b(?:class|interface)\b/.test(enclosing);
  });
}

it('tells accessors of literals from those of classes', () => {
  expect(hasOwnAccessor('const a = {\n  b,\n\n  get c() {\n    return 1;\n  },\n};\n')).toBe(true);
  expect(hasOwnAccessor('return {\n  set c(value) {\n  },\n};\n')).toBe(true);
  expect(hasOwnAccessor('Object.defineProperty(a, name, { get: read, enumerable: true });\n')).toBe(true);
  expect(hasOwnAccessor('Object.defineProperty(a, name, { value, enumerable: true });\nget();\n')).toBe(
    false,
  );
  expect(hasOwnAccessor('export class A {\n  get c() {\n    return 1;\n  }\n}\n')).toBe(false);
  expect(hasOwnAccessor('class A\n  extends B\n{\n  get #c() {\n    return 1;\n  }\n}\n')).toBe(false);
  expect(hasOwnAccessor('const a = {\n  get(c) {\n    return c;\n  },\n};\n')).toBe(false);
});

it('objects that come and go with requests have no accessors of their own', () => {
  const found = globSync('{services,packages}/*/src/**/*.ts', { cwd: ROOT })
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
    .filter((file) => hasOwnAccessor(readFileSync(`${ROOT}${file}`, 'utf8')));
  expect(found.toSorted()).toEqual(ALLOWED.toSorted());
});
