import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Writes that replace a whole document, and so drop members that a newer release has stored. */
const WHOLE = /\b(?:replaceOne|findOneAndReplace)\b|\$replace(?:With|Root)\b/;

/** Files where this loses nothing. */
const ALLOWED = [
  // The record replaces one that has expired or whose process died: it is a new record.
  'packages/rest-kit/src/idempotency/storage/idempotency.repository.ts',
];

it('a repository writes members of documents, not whole documents', () => {
  const found = globSync('{services,packages}/*/src/**/*.ts', { cwd: ROOT })
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
    .filter((file) => WHOLE.test(readFileSync(`${ROOT}${file}`, 'utf8')));
  expect(found.toSorted()).toEqual(ALLOWED);
});
