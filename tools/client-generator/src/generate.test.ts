import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { expect, it } from 'vitest';
import { currentPythonTypesMark, generateSources, PYTHON_TYPES } from './generate.ts';

// If this fails, run `npm run generate`.
it('the committed clients are those of the present OpenAPI document', async () => {
  const stale: string[] = [];
  for (const [path, text] of await generateSources()) {
    if ((await readFile(path, 'utf8').catch(() => '')) !== text) stale.push(relative('.', path));
  }
  if (!(await readFile(PYTHON_TYPES, 'utf8')).startsWith(await currentPythonTypesMark())) {
    stale.push(relative('.', PYTHON_TYPES));
  }
  expect(stale).toEqual([]);
});
