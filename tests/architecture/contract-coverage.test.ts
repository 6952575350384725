import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { contractRowIds, coveragePage, testedRowIds } from '../contract/support/coverage.ts';

describe('contract coverage', () => {
  it('the committed list of rows without a test is current', () => {
    const page = fileURLToPath(new URL('../../docs/contract-coverage.md', import.meta.url));
    expect(readFileSync(page, 'utf8')).toBe(coveragePage());
  });

  it('every row that a test names exists', () => {
    const known = contractRowIds();
    expect([...testedRowIds()].filter((id) => !known.has(id))).toEqual([]);
  });
});
